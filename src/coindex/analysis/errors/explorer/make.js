/* Helpers for elements and numbers. */
const $ = (selector, root = document) => root.querySelector(selector);
const body = document.body, main = $("main"), columns = $(".columns");
const number = (value) => value.toLocaleString("en");
const plural = (value, one, many = `${one}s`) => `${number(value)} ${value === 1 ? one : many}`;

function make(tag, settings = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(settings)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "colour") element.style.setProperty("--c", value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}
