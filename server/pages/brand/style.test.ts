import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { brandColours, brandSheet, contrastOf, SURFACES } from './style.ts'

const TOKENS = readFileSync(new URL('../../../public/tokens.css', import.meta.url), 'utf8')
const SCHEMES = ['light', 'dark'] as const
/** Steps through all colours: 17 values of each channel. */
const COLOURS = Array.from({ length: 17 ** 3 }, (_, at) => {
  const channels = [at % 17, Math.trunc(at / 17) % 17, Math.trunc(at / 289)].map((each) =>
    Math.min(each * 16, 255),
  )
  return `#${channels.map((each) => each.toString(16).padStart(2, '0')).join('')}`
})

test.each(SCHEMES)(
  'for every colour that a merchant can choose, all text is readable and every button is visible: %s',
  (scheme) => {
    const faults = COLOURS.flatMap((colour) => {
      const { fill, strong, on, ink, edge } = brandColours(colour, scheme)
      const texts = [
        contrastOf(on, fill),
        contrastOf(on, strong),
        ...SURFACES[scheme].map((each) => contrastOf(ink, each)),
      ]
      const outlines = SURFACES[scheme].map((each) => contrastOf(edge === 'transparent' ? fill : edge, each))
      const isGood = texts.every((ratio) => ratio >= 4.5) && outlines.every((ratio) => ratio >= 3)
      return isGood ? [] : [colour]
    })
    expect(faults).toEqual([])
  },
)

test('the button has the chosen colour, and so has text that is readable in it', () => {
  expect(brandColours('#0b4aa8', 'light')).toMatchObject({
    fill: '#0b4aa8',
    ink: '#0b4aa8',
    on: '#ffffff',
    edge: 'transparent',
  })
  expect(brandColours('#ffd400', 'light')).toMatchObject({ fill: '#ffd400', on: '#000000' })
  expect(brandColours('#ffd400', 'light').ink).not.toBe('#ffd400')
})

test('the surfaces are those of tokens.css', () => {
  const [, light = '', dark = ''] = TOKENS.split(
    /^(?:@media \(prefers-color-scheme: dark\) \{\n {2})?:root \{/m,
  )
  const surfacesIn = (block: string) =>
    ['ground', 'page', 'paper'].map((name) => new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(block)?.[1])
  expect([surfacesIn(light), surfacesIn(dark)]).toEqual([SURFACES.light, SURFACES.dark])
})

test('the sheet changes only colours, and in print only those of posters', () => {
  const sheet = brandSheet('#ffd400')
  expect(sheet.match(/@media \w+/g)).toEqual(['@media screen', '@media screen'])
  const [, everywhere = ''] = /^:root\{(.*)\}$/m.exec(sheet) ?? []
  expect(everywhere.match(/--[\w-]+/g)).toEqual(['--poster-fill', '--on-poster', '--poster-accent'])
  for (const [, name] of sheet.matchAll(/(--[\w-]+):/g)) expect(TOKENS).toContain(`${name}:`)
})

// Reference values of WCAG 2.2: black on white, equal colours, and the lightest grey that passes 4.5 on white.
test.each([
  ['#000000', '#ffffff', 21],
  ['#336699', '#336699', 1],
  ['#767676', '#ffffff', 4.54],
  ['#777777', '#ffffff', 4.48],
])('%s on %s has a contrast of %d', (one, other, expected) => {
  expect(contrastOf(one, other)).toBeCloseTo(expected, 2)
  expect(contrastOf(other, one)).toBe(contrastOf(one, other))
})
