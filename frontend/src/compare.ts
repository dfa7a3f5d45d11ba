/** Step through differences by keyboard, and send decisions without reloading the page.
 *
 * The page works without it: every decision is a form. `difference_rows.html` defines the markup.
 */

type Answer = {
  revision: number;
  can_undo: boolean;
  can_redo: boolean;
  decided: Record<string, number>;
  left: number;
  rows: Record<string, string>;
};

const page = document.getElementById("comparison");
const all = [...document.querySelectorAll<HTMLElement>(".difference")];
let at = -1;
let busy = false;

/** Make a difference current: focus it and outline its words. */
function step(to: number): void {
  if (!all.length) return;
  at = Math.max(0, Math.min(to, all.length - 1));
  for (const old of document.querySelectorAll(".current")) old.classList.remove("current");
  const now = all[at]!;
  now.classList.add("current");
  now.focus({ preventScroll: true });
  now.closest(".sentence")?.scrollIntoView({ block: "nearest" });
  now.scrollIntoView({ block: "nearest" });
  const number = now.dataset["number"]!;
  for (const mark of page!.querySelectorAll<HTMLElement>("[data-at]")) {
    if (mark.dataset["at"]!.split(" ").includes(number)) mark.classList.add("current");
  }
}

function nextOpen(): void {
  const open = all.findIndex((one, number) => number > at && one.dataset["choice"] === undefined);
  const first = open >= 0 ? open : all.findIndex((one) => one.dataset["choice"] === undefined);
  if (first >= 0) step(first);
}

/** Click the button of the current difference that has this digit. */
function choose(digit: string): void {
  const buttons = all[at]?.querySelectorAll<HTMLButtonElement>("button[data-digits]") ?? [];
  for (const button of buttons) if (button.dataset["digits"]!.split(" ").includes(digit)) press(button, digit);
}

/** Submit the button's form with the digit that was pressed, since several annotators may share a button. */
function press(button: HTMLButtonElement, digit: string): void {
  if (button.name === "choice") button.value = digit;
  button.click();
}

function showProblem(problem: string): void {
  const place = document.getElementById("problem");
  if (!place) return;
  place.textContent = problem;
  place.hidden = !problem;
}

/** Extract the error message from a page of the server. */
function alertOf(html: string): string {
  const alert = new DOMParser().parseFromString(html, "text/html").querySelector("[role=alert]");
  return alert?.textContent ?? "The request failed; reload the page.";
}

async function send(form: HTMLFormElement, button: HTMLButtonElement | null): Promise<void> {
  if (busy) return;
  busy = true;
  const step = button?.name === "step";
  try {
    const body = new URLSearchParams();
    for (const [name, value] of new FormData(form)) body.set(name, String(value));
    if (button?.name) body.set(button.name, button.value);
    const response = await fetch(form.action, { method: "POST", body, headers: { accept: "application/json" } });
    if (response.ok) {
      showProblem("");
      show((await response.json()) as Answer);
      if (!step) nextOpen();
    } else showProblem(alertOf(await response.text()));
  } catch {
    showProblem("Cannot reach the server. The decision was not saved; try again.");
  } finally {
    busy = false;
  }
}

function show(answer: Answer): void {
  for (const base of document.querySelectorAll<HTMLInputElement>("input[name=base]")) base.value = String(answer.revision);
  for (const one of all) {
    const choice = answer.decided[one.dataset["number"]!];
    if (choice === undefined) delete one.dataset["choice"];
    else one.dataset["choice"] = String(choice);
    for (const button of one.querySelectorAll<HTMLButtonElement>("button[data-digits]")) {
      const pressed = choice !== undefined && button.dataset["digits"]!.split(" ").includes(String(choice));
      button.setAttribute("aria-pressed", String(pressed));
    }
  }
  for (const [row, html] of Object.entries(answer.rows)) {
    const place = page!.querySelector(`[data-row="${CSS.escape(row)}"]`);
    if (place) place.innerHTML = html; // made and escaped by the server
  }
  const left = document.getElementById("left");
  if (left) left.textContent = String(answer.left);
  for (const [name, can] of [["undo", answer.can_undo], ["redo", answer.can_redo]] as const) {
    const button = document.querySelector<HTMLButtonElement>(`#${name} button`);
    if (button) button.disabled = !can;
  }
}

function key(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (event.altKey || event.metaKey || event.ctrlKey || target.closest("input, select, textarea")) return;
  const acts: Record<string, () => void> = {
    ArrowDown: () => step(at + 1),
    ArrowRight: () => step(at + 1),
    j: () => step(at + 1),
    ArrowUp: () => step(at - 1),
    ArrowLeft: () => step(at - 1),
    k: () => step(at - 1),
    n: nextOpen,
    u: () => document.querySelector<HTMLButtonElement>("#undo button")?.click(),
    r: () => document.querySelector<HTMLButtonElement>("#redo button")?.click(),
  };
  const act = acts[event.key] ?? (/^[0-9]$/.test(event.key) ? () => choose(event.key) : undefined);
  if (!act) return;
  event.preventDefault();
  act();
}

if (page) {
  document.addEventListener("keydown", key);
  for (const [number, one] of all.entries()) {
    one.addEventListener("click", (event) => {
      if (!(event.target as HTMLElement).closest("button")) step(number);
      else at = number;
    });
  }
  if (page.dataset["judged"] === "yes") {
    document.addEventListener("submit", (event) => {
      const form = event.target as HTMLFormElement;
      if (!form.classList.contains("decide")) return;
      event.preventDefault();
      void send(form, (event as SubmitEvent).submitter as HTMLButtonElement | null);
    });
  }
  const wanted = all.findIndex((one) => `#${one.id}` === location.hash);
  if (wanted >= 0 || page.dataset["judged"] !== "no") step(Math.max(wanted, 0));
}
