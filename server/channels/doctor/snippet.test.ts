import { expect, test } from 'vitest'
import { growthOf, LINEAR_BELOW, repeated } from '../../testing/growth.ts'
import { BUTTON_LOOK } from '../button.ts'
import type { ChannelSettings } from '../settings.ts'
import { PLATFORMS, writeSnippet } from '../snippets.ts'
import { findingText } from './finding.ts'
import { diagnoseSnippet } from './snippet.ts'

const API = 'https://pay.example'
const PRODUCT = {
  id: 'tea & [cup]',
  name: 'Tea',
  amountMinor: 100,
  payUrl: `${API}/pay/kpk_1/tea`,
  currency: 'USD' as const,
}
const CHANNEL: ChannelSettings = {
  merchantName: 'Shop',
  publicKey: 'kpk_1',
  apiOrigin: API,
  origins: ['https://shop.example'],
  script: {
    moving: `${API}/widget/v1/kassa.js`,
    versions: `${API}/widget/versions.json`,
    pinned: { version: '1.2.3', scriptUrl: `${API}/widget/1.2.3/kassa.js`, integrity: 'sha384-abc+/=' },
  },
  returnUrl: null,
  policy: { 'script-src': API, 'connect-src': API },
  products: [PRODUCT],
}
const CHOICE = {
  ...BUTTON_LOOK,
  product: PRODUCT,
  price: '$1.00',
  label: '“Gift” %s',
  locale: null,
  isPinned: true,
}
const html = writeSnippet('html', CHANNEL, CHOICE)
const tag = writeSnippet('script', CHANNEL, CHOICE)
const keys = (text: string, weight?: string) =>
  diagnoseSnippet(text, CHANNEL)
    .findings.filter((each) => !weight || each.weight === weight)
    .map(({ key }) => key)

test.each(PLATFORMS)('the snippet for %s that the install page writes has no fault', (platform) => {
  for (const isPinned of [true, false]) {
    const { findings, returnUrl } = diagnoseSnippet(
      writeSnippet(platform, CHANNEL, { ...CHOICE, isPinned }),
      CHANNEL,
    )
    expect(findings.filter(({ weight }) => weight === 'bad')).toEqual([])
    expect(findings[0]?.key).toBe('snippetFine')
    expect(returnUrl).toBe('/thanks')
  }
})

const old = (text: string) => text.replace('1.2.3', '1.2.2')
test.each([
  ['curly quotes', html.replaceAll(/"([^"]*)"/g, '“$1”'), ['snippetQuotes']],
  ['Russian quotes', html.replace(/"kpk_1"/, '«kpk_1»'), ['snippetQuotes']],
  ['pasted as text', html.replaceAll('<', '&lt;').replaceAll('>', '&gt;'), ['snippetEscaped']],
  ['something else', '<p>Pay</p>', ['snippetNone']],
  ['a withdrawn key', html.replace('kpk_1', 'kpk_0'), ['snippetKey']],
  ['no key', html.replace('public-key="kpk_1"', ''), ['snippetLacks']],
  ['no product', html.replace(/product-id="[^"]*"/, ''), ['snippetLacks']],
  [
    'a product that is sold no more',
    html.replace(/product-id="[^"]*"/, 'product-id="mate"'),
    ['snippetProduct'],
  ],
  ['the element alone', html.replace(/<script[\s\S]*/, ''), ['snippetNoScript']],
  ['a module', tag.replace('<script', '<script type="module"'), ['snippetModule']],
  ['a module for the element that names the server', html.replace('<script', '<script type="module"'), []],
  [
    'a module for the element',
    html.replace('<script', '<script type="module"').replace(/ *endpoint="[^"]*"/, ''),
    ['snippetModule'],
  ],
  ['a tag in the head', `<head>${tag}</head><body></body>`, ['snippetHead']],
  ['a tag in the body of a page', `<head></head><body>${tag}</body>`, []],
  ['an aimed tag in the head', `<head>${tag.replace('async', 'async data-target="#pay"')}</head>`, []],
  ['another server', html.replaceAll(`${API}/widget`, 'https://pay.test/widget'), ['snippetServer']],
  [
    'the server without encryption',
    html.replaceAll(`${API}/widget`, 'http://pay.example/widget'),
    ['snippetServer'],
  ],
  ['the hash of another version', html.replace('sha384-abc', 'sha384-xyz'), ['snippetHash']],
  ['this hash on another version', old(html), ['snippetHash']],
  ['another version and its hash', old(html).replace('sha384-abc', 'sha384-xyz'), []],
  [
    'a foreign hash on the moving address',
    html.replace('1.2.3', 'v1').replace('abc', 'xyz'),
    ['snippetHash'],
  ],
  ['a hash without crossorigin', html.replace('crossorigin="anonymous"', ''), ['snippetCrossOrigin']],
])('%s', (_, text, expected) => {
  expect(keys(text, 'bad')).toEqual(expected)
})

test('a snippet that may break later gets a note', () => {
  expect(keys(html.replace('1.2.3', 'v1'), 'note')).toEqual(['snippetHashMoving'])
  expect(keys(old(html).replace('abc', 'xyz'), 'note')).toEqual(['snippetOlder'])
  expect(keys(tag, 'note')).toEqual(['snippetHead'])
})

test('a button in a comment is none, and what another program wrote as an entity is read as its letter', () => {
  expect(keys(`<!-- ${html} -->`)).toEqual(['snippetNone'])
  const { key, ...rest } = diagnoseSnippet(html.replaceAll('&#38;', '&amp;'), CHANNEL).findings[0] ?? {}
  expect([key, rest]).toEqual(['snippetFine', { weight: 'good', values: {} }])
})

test('a component in whose code `<` also means less than is read to its button', () => {
  const react = writeSnippet('react', CHANNEL, CHOICE)
  expect(keys(react.replace('export', 'for (let i = 0; i<n; i++) use(i)\nexport'), 'bad')).toEqual([])
})

test('a secret in a page is reported, and the report does not repeat it', () => {
  const secret = `ksk_live_${'a'.repeat(40)}`
  const { findings } = diagnoseSnippet(html.replace('kpk_1', secret), CHANNEL)
  expect(findings.map(({ key }) => key)).toContain('snippetSecret')
  expect(findings.map((each) => findingText('en', each)).join()).not.toContain(secret)
})

const READ_MAX_CHARS = 12_000

const HOSTILE = [
  '<script ',
  '<script "',
  "<kassa-pay '",
  '<kassa-pay>',
  '<head></body>',
  '<kassa-pay a=b c=d ',
  '<b>',
  '<body data-p ',
  '<!--',
  '<p x="',
  'http://',
  'http://kassa.js/',
  '/kassa.js',
  'kassa.js type=module <script ',
  "={'",
  '= { ',
  '&#1',
  '&amp',
  '</script>',
  '<script a a ',
  '<script a="" b ',
  '<!-- -->',
  'sha384-a ',
  'sha384',
  'public-key: a\n',
  ' \n',
  '\u201c',
  'a-',
  ' ',
]

test.each(HOSTILE)('text of %j over and over takes time in proportion to its length', (part) => {
  const read = (text: string) => void diagnoseSnippet(text, CHANNEL)
  for (const start of ['', html]) {
    const ofChars = (chars: number) => start + repeated(part)(chars - start.length)
    expect(growthOf(read, ofChars, READ_MAX_CHARS / 8)).toBeLessThan(LINEAR_BELOW)
  }
})

test('of a longer text only the beginning is read', () => {
  const SAME = 1.5
  const read = (text: string) => void diagnoseSnippet(text, CHANNEL)
  for (const part of ['<script "', '<script a=', "<kassa-pay '", 'type=module<script', '&#1'])
    expect(growthOf(read, repeated(part), 25_000, SAME)).toBeLessThan(SAME)
})
