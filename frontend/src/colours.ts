/** A stable colour for each entity that depends only on its id, as in `coindex.render.markup`. */

const GOLDEN_ANGLE = 180 * (3 - Math.sqrt(5));
const LIGHTNESSES = [0.595, 0.535, 0.645];
const CHROMA = 0.16;
const known = new Map<string, string>();

export function colour(id: string): string {
  let result = known.get(id);
  if (result === undefined) {
    const number = numberOf(id);
    result = rgb(LIGHTNESSES[number % LIGHTNESSES.length]!, Math.round((number * GOLDEN_ANGLE) % 360));
    known.set(id, result);
  }
  return result;
}

/** Return the number at the end of an id, or a checksum of the id. */
function numberOf(id: string): number {
  const digits = /[0-9]{1,9}$/.exec(id);
  return digits ? Number(digits[0]) : crc32(new TextEncoder().encode(id));
}

function crc32(bytes: Uint8Array): number {
  let sum = -1;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ -1) >>> 0;
}

/** Convert OKLCH to "#rrggbb"; the chroma is reduced until the colour is in the sRGB gamut. */
function rgb(lightness: number, hue: number): string {
  for (let chroma = CHROMA; ; chroma -= 0.005) {
    const angle = (hue * Math.PI) / 180;
    const linear = linearRgb(lightness, chroma * Math.cos(angle), chroma * Math.sin(angle));
    if (chroma <= 0 || linear.every((part) => part >= 0 && part <= 1)) return `#${linear.map(hex).join("")}`;
  }
}

/** Convert OKLab to linear sRGB (Ottosson 2020, "A perceptual color space for image processing"). */
function linearRgb(lightness: number, a: number, b: number): [number, number, number] {
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ];
}

function hex(part: number): string {
  const companded = part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055;
  return Math.round(255 * companded).toString(16).padStart(2, "0");
}
