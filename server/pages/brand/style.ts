/**
 * The style sheet of a brand colour. The sheet depends on the colour alone, so its address names the colour and every cache may
 * store it. The contrast of two colours also warns a site builder whose button is hard to read.
 * Rule: a merchant chooses one colour, and all text on it or in it stays readable (WCAG 2.2, AA).
 */
/** The lowest contrast of the outline of a control (WCAG 2.2, 1.4.11). */
const OUTLINE_LEAST = 3

/** The surfaces of tokens.css on which there is text in the accent colour. A test compares them with tokens.css. */
export const SURFACES = {
  light: ['#efe6df', '#fbf7f2', '#fffdf9'],
  dark: ['#151210', '#181412', '#2a2421'],
} as const
type Scheme = keyof typeof SURFACES

const [WHITE, BLACK] = ['#ffffff', '#000000']
/** Style sheets mix up to this share of the accent into a surface, for example behind an icon. */
const TINT = 0.12
const STEP = 0.04
const HOVER = 0.14

/**
 * The colours that replace those of tokens.css. `ink` is for text. `edge` outlines a button that is hard to see on the surface.
 */
type BrandColours = { fill: string; strong: string; on: string; ink: string; edge: string }

export function brandColours(colour: string, scheme: Scheme): BrandColours {
  const surfaces = SURFACES[scheme]
  const on = contrastOf(colour, WHITE) >= CONTRAST_LEAST ? WHITE : BLACK
  const ink = readableInk(colour, scheme)
  const isSeen = surfaces.every((surface) => contrastOf(colour, surface) >= OUTLINE_LEAST)
  return {
    fill: colour,
    // The colour is moved away from the colour of the text on it, so that the contrast of the text only rises.
    strong: mixed(colour, on === WHITE ? BLACK : WHITE, HOVER),
    on,
    ink,
    edge: isSeen ? 'transparent' : ink,
  }
}

/** Returns the colour itself if text in it can be read, else the nearest darker or brighter one. */
function readableInk(colour: string, scheme: Scheme): string {
  const end = scheme === 'light' ? BLACK : WHITE
  for (let part = 0; part < 1; part += STEP) {
    const ink = mixed(colour, end, part)
    const grounds = SURFACES[scheme].flatMap((surface) => [surface, mixed(surface, ink, TINT)])
    if (grounds.every((ground) => contrastOf(ink, ground) >= CONTRAST_LEAST)) return ink
  }
  return end
}

/** Mixes `part` of `other` into `one`, as color-mix() in sRGB does. */
function mixed(one: string, other: string, part: number): string {
  const channel = (colour: string, at: number) => Number.parseInt(colour.slice(at, at + 2), 16)
  const mix = (at: number) => Math.round(channel(one, at) * (1 - part) + channel(other, at) * part)
  return `#${[1, 3, 5].map((at) => mix(at).toString(16).padStart(2, '0')).join('')}`
}

/** `colour`: `#rrggbb`. In print the black of tokens.css stays, except on posters, which have their colour everywhere. */
export function brandSheet(colour: string): string {
  const { fill, on, ink } = brandColours(colour, 'light')
  const poster = `:root{--poster-fill:${fill};--on-poster:${on};--poster-accent:${ink}}`
  const rule = (scheme: Scheme) => {
    const { fill, strong, on, ink, edge } = brandColours(colour, scheme)
    return `:root{--accent:${fill};--accent-strong:${strong};--on-accent:${on};--accent-ink:${ink};--accent-edge:${edge}}`
  }
  return `@media screen{${rule('light')}}\n@media screen and (prefers-color-scheme:dark){${rule('dark')}}\n${poster}\n`
}

/** `colour`: `#rrggbb`. */
export const brandSheetAddress = (colour: string): string => `/brand/${colour.slice(1)}.css`

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
