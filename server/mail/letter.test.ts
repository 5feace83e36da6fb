/** How a mail looks: readable in light and dark, on a small phone, and with the button where it is seen. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { CONTRAST_LEAST, contrastOf } from '../pages/brand/style.ts'
import { htmlOf, type Letter } from './letter.ts'
import { DARK, darkRules, LIGHT, letterColours, RIBBON } from './letter-colours.ts'

const TOKENS = readFileSync(new URL('../../public/tokens.css', import.meta.url), 'utf8')
const ACCOUNT = 'acc_test_01m92qj5hxzby72gfk49fzx8e8w40f7t1hhg'
const LONG = 'URTS-2026-WEB-YEREVAN-KENTRON-000000123456789-GIFT'

const letterOf = (changes: Partial<Letter> = {}): Letter => ({
  locale: 'en',
  test: 'Test mode',
  title: 'Sold: tea',
  text: 'Please pack it.',
  facts: [[['Order', 'ABFZ J1PA']]],
  way: { label: 'Show the order', address: 'https://pay.example/o/1' },
  contactTitle: 'Questions?',
  contact: ['+374 00 000000'],
  why: 'Why you get this.',
  brand: { name: 'Urts tea' },
  ...changes,
})

describe('the colours', () => {
  const named = { ground: 'ground', paper: 'paper', ink: 'ink', soft: 'soft-ink', line: 'line' }
  const palette = { ...named, accent: 'accent', onAccent: 'on-accent' } as const
  const [light = '', dark = ''] = TOKENS.split('@media (prefers-color-scheme: dark)')
  const tokenOf = (sheet: string, name: string) => new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(sheet)?.[1]

  test.each(Object.entries(palette))('%s is --%s of the pages', (own, name) => {
    const key = own as keyof typeof palette
    expect([LIGHT[key], DARK[key]]).toEqual([tokenOf(light, name), tokenOf(dark, name)])
  })

  test('the band of test mode is that of the pages', () =>
    expect(RIBBON).toEqual({ ground: tokenOf(light, 'ribbon'), ink: tokenOf(light, 'on-ribbon') }))

  test.each([undefined, '#ffffff', '#000000', '#ffd400', '#7c3f33', '#808080'])(
    'every text can be read in light and dark with the brand colour %s',
    (colour) => {
      for (const [scheme, { paper, ground, ink, soft }] of [
        ['light', LIGHT],
        ['dark', DARK],
      ] as const) {
        const { fill, on, ink: link, edge } = letterColours(colour, scheme)
        const pairs = { text: [ink, paper], ground: [ink, ground], soft: [soft, paper], link: [link, paper] }
        for (const [what, [one = '', other = '']] of Object.entries({ ...pairs, button: [on, fill] }))
          expect(contrastOf(one, other), `${what}, ${scheme}`).toBeGreaterThanOrEqual(CONTRAST_LEAST)
        expect(contrastOf(edge, paper), `edge, ${scheme}`).toBeGreaterThanOrEqual(3)
      }
    },
  )

  test('every element with a light colour has a dark one, and no rule is for nothing', () => {
    const facts: Letter['facts'] = [
      [
        ['Service', 'https://pay.example'],
        ['Order', 'ABFZ J1PA'],
      ],
    ]
    const html = htmlOf(letterOf({ facts }))
    const coloured = [...html.matchAll(/<(\w+)([^>]*style="[^"]*(?:color|background):[^"]*"[^>]*)>/g)]
    const bare = coloured.filter(([, , attributes = '']) => !/class="/.test(attributes))
    // The band of test mode looks the same in both.
    expect(bare.map(([element]) => element).filter((each) => !each.includes(RIBBON.ground))).toEqual([])
    const used = new Set([...html.matchAll(/class="([^"]+)"/g)].flatMap(([, names = '']) => names.split(' ')))
    const ruled = [...darkRules(undefined).matchAll(/\.([a-z]+) \{/g)].map(([, name]) => name)
    expect([...used].sort()).toEqual(ruled.sort())
    expect(html).toContain('<meta name="color-scheme" content="light dark"')
  })
})

describe('on a small phone', () => {
  const rows = (...facts: [string, string][]) => htmlOf(letterOf({ facts: [facts] }))

  test('a short value stands beside its label, and a long one below it in the whole width', () => {
    expect(rows(['Order', 'ABFZ J1PA'])).not.toContain('colspan')
    const html = rows(['Order in your shop’s program', LONG])
    expect(html).toMatch(new RegExp(`colspan="2"[^>]*overflow-wrap: anywhere.*<br ?/>${LONG}</td>`))
  })

  test('a flag of a command is not broken, and the command stays the same text', () => {
    const command = `npm run -s admin -- account test --account ${ACCOUNT}`
    const html = rows(['Command', command])
    expect(html).toContain('<span style="white-space: nowrap">--account</span>')
    const [, text = ''] = /<br ?\/>(npm.*?)<\/td>/.exec(html) ?? []
    expect(text.replaceAll(/<[^>]+>/g, '')).toBe(command)
  })

  test('the button comes before the facts, unless the facts are what the reader needs first', () => {
    const placesOf = (letter: Letter) =>
      ['Show the order', 'ABFZ J1PA'].map((text) => htmlOf(letter).indexOf(`>${text}<`))
    const [button = 0, facts = 0] = placesOf(letterOf())
    expect([button > 0, button < facts]).toEqual([true, true])
    const [later = 0, before = 0] = placesOf(letterOf({ isWayLast: true }))
    expect([before > 0, before < later]).toEqual([true, true])
  })
})
