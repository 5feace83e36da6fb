/**
 * The colours of a mail, light and dark. Each element has its light colours in its own style, because many mail programs read nothing
 * else. Programs that show mails dark and read style sheets get the dark ones. The others darken the light mail by rules of their own.
 */
import { brandColours } from '../pages/brand/style.ts'

/** Those of public/tokens.css. `accent` and `onAccent`: without a brand. */
export const LIGHT = {
  ground: '#efe6df',
  paper: '#fffdf9',
  ink: '#241b18',
  soft: '#65544c',
  line: '#ded1c6',
  accent: '#17433c',
  onAccent: '#ffffff',
} as const
export const DARK: Record<keyof typeof LIGHT, string> = {
  ground: '#151210',
  paper: '#2a2421',
  ink: '#f4ece5',
  soft: '#bcaba0',
  line: '#4a3f38',
  accent: '#9ad8c5',
  onAccent: '#0c2620',
}

/** The band that says that no real money moves. It looks the same in light and dark. */
export const RIBBON = { ground: '#ffd84d', ink: '#1d1600' } as const

/** `edge`: the outline of a button that the paper would swallow. `ink`: of a link. */
export type LetterColours = { fill: string; on: string; edge: string; ink: string }

/** `colour`: the brand's, as `#rrggbb`. */
export function letterColours(colour: string | undefined, scheme: 'light' | 'dark'): LetterColours {
  if (colour === undefined) {
    const { accent, onAccent } = scheme === 'light' ? LIGHT : DARK
    return { fill: accent, on: onAccent, edge: accent, ink: accent }
  }
  const { fill, on, edge, ink } = brandColours(colour, scheme)
  return { fill, on, edge: edge === 'transparent' ? fill : edge, ink }
}

/** The rules for dark mails. The names are those of the classes in the mail. */
export function darkRules(colour: string | undefined): string {
  const { fill, on, edge, ink } = letterColours(colour, 'dark')
  const rules = {
    ground: { background: DARK.ground, color: DARK.ink },
    paper: { background: DARK.paper, color: DARK.ink, 'border-top-color': edge },
    soft: { color: DARK.soft },
    cell: { 'border-bottom-color': DARK.line },
    button: { background: fill, 'border-color': edge, color: on },
    link: { color: ink },
  }
  const shown = Object.entries(rules).map(([name, rule]) => {
    const parts = Object.entries(rule).map(([property, value]) => `${property}: ${value} !important`)
    return `.${name} { ${parts.join('; ')} }`
  })
  return `@media (prefers-color-scheme: dark) { ${shown.join(' ')} }`
}
