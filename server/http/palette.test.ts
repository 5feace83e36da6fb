/** Only tokens.css defines colours, every page loads it first, and its text colours have enough contrast. */
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const TOKENS = 'public/tokens.css'
const WIDGET_PROPERTY = '--kassa-pay-'
/** WCAG 2.2, 1.4.3 for text and 1.4.11 for the outline of a control. */
const TEXT_RATIO = 4.5
const OUTLINE_RATIO = 3

const read = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8')
const filesOf = (pattern: string) => globSync(pattern, { cwd: ROOT })
const withoutComments = (css: string) => css.replaceAll(/\/\*.*?\*\//gs, '')

/** The colour names of CSS Color 4. `transparent`, `currentcolor` and the system colours are allowed everywhere. */
const COLOUR_NAMES = new Set(
  `aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown burlywood
  cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan darkgoldenrod darkgray
  darkgreen darkgrey darkkhaki darkmagenta darkolivegreen darkorange darkorchid darkred darksalmon darkseagreen
  darkslateblue darkslategray darkslategrey darkturquoise darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue
  firebrick floralwhite forestgreen fuchsia gainsboro ghostwhite gold goldenrod gray green greenyellow grey honeydew
  hotpink indianred indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan
  lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon lightseagreen lightskyblue lightslategray
  lightslategrey lightsteelblue lightyellow lime limegreen linen magenta maroon mediumaquamarine mediumblue
  mediumorchid mediumpurple mediumseagreen mediumslateblue mediumspringgreen mediumturquoise mediumvioletred
  midnightblue mintcream mistyrose moccasin navajowhite navy oldlace olive olivedrab orange orangered orchid
  palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru pink plum powderblue purple
  rebeccapurple red rosybrown royalblue saddlebrown salmon sandybrown seagreen seashell sienna silver skyblue
  slateblue slategray slategrey snow springgreen steelblue tan teal thistle tomato turquoise violet wheat white
  whitesmoke yellow yellowgreen`.split(/\s+/),
)
const COLOUR_SYNTAX = /#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|light-dark)\(/gi

/** Returns every colour in a value. Names of custom properties and quoted texts do not count. */
function coloursIn(css: string): string[] {
  return [...withoutComments(css).matchAll(/([\w-]+)\s*:\s*([^;{}]+)[;}]/g)].flatMap(([, property, text]) => {
    const value = (text ?? '').replaceAll(/--[\w-]+|"[^"]*"|'[^']*'/g, '')
    const names = (value.match(/[a-z]+/gi) ?? []).filter((word) => COLOUR_NAMES.has(word.toLowerCase()))
    return [...(value.match(COLOUR_SYNTAX) ?? []), ...names].map((colour) => `${property}: ${colour}`)
  })
}

test('a colour is found in every notation, and nothing else is', () => {
  const found = `a { color: #fff; background: RGB(0 0 0 / 1); border: 1px solid Tomato } b { --x: oklch(1 0 0); }`
  expect(coloursIn(found)).toEqual(['color: #fff', 'background: RGB(', 'border: Tomato', '--x: oklch('])
  const none = `a:hover { color: var(--red); /* white */ background: color-mix(in srgb, currentColor 8%, transparent);
    content: "black"; color: CanvasText; }`
  expect(coloursIn(none)).toEqual([])
})

test('only tokens.css defines colours, and every name that a style sheet uses is defined', () => {
  const sheets = filesOf('public/**/*.css').filter((path) => path !== TOKENS)
  expect(sheets.length).toBeGreaterThanOrEqual(5)
  const defined = (css: string) => [...css.matchAll(/^\s*(--[\w-]+):/gm)].map(([, name]) => name)
  const tokens = defined(read(TOKENS))
  const faults = sheets.flatMap((path) => {
    const css = withoutComments(read(path))
    const known = new Set([...tokens, ...defined(css)])
    const used = [...css.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name ?? '')
    const unknown = used.filter((name) => !known.has(name) && !name.startsWith(WIDGET_PROPERTY))
    return [...coloursIn(css), ...unknown.map((name) => `${name} is not defined`)].map(
      (each) => `${path}: ${each}`,
    )
  })
  expect(faults).toEqual([])
})

test('every page loads tokens.css before any other style sheet', () => {
  const paths = [...filesOf('public/**/*.html'), ...filesOf('server/{http,pages}/**/*.ts')]
  const firstSheets = paths
    .filter((path) => !path.startsWith('public/merchant-pages/') && !path.endsWith('.test.ts'))
    .flatMap((path) => [...read(path).matchAll(/<head>.*?<\/head>/gs)].map(([head]) => ({ path, head })))
    .map(({ path, head }) => [path, /<link rel="stylesheet" href="?([^" ]+)/.exec(head)?.[1]])
  expect(firstSheets.length).toBeGreaterThanOrEqual(4)
  expect(firstSheets.filter(([, sheet]) => sheet !== '/tokens.css')).toEqual([])
})

type Palette = Record<string, string>

/** The colours of tokens.css for each kind of page. */
function palettes(): Record<string, Palette> {
  const blocks = [...withoutComments(read(TOKENS)).matchAll(/(:root|\.bank) \{([^}]*)\}/g)]
  // Light, dark and paper: of all pages, and then of those that the console has no part in.
  const roots = [':root', ':root', ':root']
  const rest = [':root', ':root', '.bank', '.bank', ':root']
  expect(blocks.map(([, selector]) => selector)).toEqual([...roots, ...rest])
  const [ofAll, darkOfAll, , ofRest, darkOfRest, bankLight, bankDark] = blocks.map(([, , body = '']) =>
    Object.fromEntries(
      [...body.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, hex]) => [name, hex]),
    ),
  )
  const light = { ...ofAll, ...ofRest }
  const dark = { ...darkOfAll, ...darkOfRest }
  return {
    light,
    dark: { ...light, ...dark },
    'bank, light': { ...light, ...bankLight },
    'bank, dark': { ...light, ...dark, ...bankLight, ...bankDark },
  }
}

const channels = (hex: string) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)

function luminance(hex: string): number {
  const linear = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
  const [red = Number.NaN, green = Number.NaN, blue = Number.NaN] = channels(hex).map(linear)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one = '', other = ''): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** Mixes a surface colour with a part of a text colour, like color-mix() in the style sheets. */
function tinted(ink: string, surface: string, part: number): string {
  const mixed = channels(surface).map((each, at) => each * (1 - part) + (channels(ink)[at] ?? 0) * part)
  return `#${mixed
    .map((each) =>
      Math.round(each * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`
}

const TONES = ['success', 'warning', 'danger', 'neutral', 'accent', 'highlight-ink']
/** The strongest mix in the style sheets. */
const TINT = 0.12

/** Text colours and their backgrounds. */
const TEXTS: [ink: string, surface: string][] = [
  ...['page', 'paper', 'ground', 'tint', 'highlight-soft'].map((each): [string, string] => ['ink', each]),
  ...['page', 'paper', 'ground', 'tint'].map((each): [string, string] => ['soft-ink', each]),
  ...['page', 'paper'].flatMap((each) => TONES.map((tone): [string, string] => [tone, each])),
  ['on-accent', 'accent'],
  ['on-accent', 'accent-strong'],
  ['highlight-ink', 'highlight-soft'],
  ['code-ink', 'code-ground'],
  ['code-soft', 'code-ground'],
  ['on-ribbon', 'ribbon'],
  ['on-ribbon', 'ribbon-stripe'],
  ['on-sample-light', 'sample-light'],
  ...['ink', 'soft', 'accent'].map((each): [string, string] => [`poster-${each}`, 'poster-paper']),
  ['on-poster', 'poster-fill'],
  ['on-sample-dark', 'sample-dark'],
]
/** The simulated bank has only two background colours. */
const BANK_TEXTS: typeof TEXTS = [
  ...['ground', 'paper'].flatMap((each) =>
    ['ink', 'soft-ink', 'accent'].map((ink): [string, string] => [ink, each]),
  ),
  ['on-accent', 'accent'],
  ['on-accent', 'accent-strong'],
  ['on-band', 'band'],
  ['soft-on-band', 'band'],
]

test.each(Object.entries(palettes()))('text has enough contrast: %s', (name, palette) => {
  const isBank = name.startsWith('bank')
  const measured = (pair: string, ratio: number) => ({ pair, ratio })
  const texts = (isBank ? BANK_TEXTS : TEXTS).map(([ink, surface]) =>
    measured(`${ink} on ${surface}`, contrast(palette[ink], palette[surface])),
  )
  const onTints = (isBank ? [] : TONES).flatMap((tone) =>
    ['page', 'paper'].flatMap((surface) => {
      const ground = tinted(palette[tone] ?? '', palette[surface] ?? '', TINT)
      return ['ink', tone].map((ink) =>
        measured(`${ink} on ${surface} tinted ${tone}`, contrast(palette[ink], ground)),
      )
    }),
  )
  const edge = measured('edge on paper', contrast(palette.edge, palette.paper))
  // A missing name gives NaN, which also fails.
  expect([...texts, ...onTints].filter(({ ratio }) => !(ratio >= TEXT_RATIO))).toEqual([])
  expect([edge].filter(({ ratio }) => !(ratio >= OUTLINE_RATIO))).toEqual([])
})
