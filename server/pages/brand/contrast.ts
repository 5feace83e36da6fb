/** The contrast of two colours by WCAG 2.2. It warns a site builder when the text on a button is hard to read. */

/** The lowest contrast for readable text (WCAG 2.2, 1.4.3). */
export const CONTRAST_LEAST = 4.5

/** Returns the ratio between 1 and 21. `one`, `other`: colours as `#rrggbb`. */
export function contrastOf(one: string, other: string): number {
  const [bright = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (bright + 0.05) / (dark + 0.05)
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    linear(Number.parseInt(colour.slice(at, at + 2), 16) / 255),
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function linear(part: number): number {
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
}
