import { transformWithOxc } from 'vite'
import { expect, test } from 'vitest'
import { BUTTON_LOOK, type ButtonChoice } from './button.ts'
import type { ChannelSettings } from './settings.ts'
import { PLATFORMS, writeSnippet } from './snippets.ts'

const CHANNEL: ChannelSettings = {
  merchantName: 'Shop',
  publicKey: 'kpk_1',
  apiOrigin: 'https://pay.example',
  script: {
    pinned: {
      version: '1.2.3',
      scriptUrl: 'https://pay.example/widget/1.2.3/kassa.js',
      integrity: 'sha384-abc/+=',
    },
    moving: 'https://pay.example/widget/v1/kassa.js',
    versions: 'https://pay.example/widget/versions.json',
  },
  origins: ['https://shop.example'],
  returnUrl: null,
  products: [],
  policy: { 'script-src': 'https://pay.example', 'connect-src': 'https://pay.example' },
}
const HOSTILE = `"'><script>alert(1)</script></textarea>{{ 7*7 }}{% raw %}[shortcode]\\\u2028\n\`\${x}`
const CHOICE: ButtonChoice = {
  ...BUTTON_LOOK,
  product: {
    id: HOSTILE,
    name: HOSTILE,
    amountMinor: 100,
    currency: 'USD',
    payUrl: 'https://pay.example/pay/kpk_1/tea?a=1&b=2',
  },
  price: null,
  label: null,
  locale: null,
  isPinned: true,
}

test.each(PLATFORMS)('a product with markup in its name stays text in the %s snippet', (platform) => {
  const code = writeSnippet(platform, CHANNEL, { ...CHOICE, label: HOSTILE })
  if (platform === 'wix') return expect(code.split('\n')).toHaveLength(10)
  expect(code.match(/<script/g) ?? []).toHaveLength(platform === 'react' ? 0 : 1)
  expect(code).not.toMatch(/alert\(1\)<|<\/textarea/)
  // In React these characters stand in a string, where no template engine reads them.
  if (platform !== 'react') expect(code).not.toMatch(/\{\{ ?7|\{%|\[shortcode/)
})

test('the React component compiles, and its label has exactly the given text', async () => {
  const code = writeSnippet('react', CHANNEL, { ...CHOICE, label: HOSTILE })
  const [, literal = ''] = /label=\{('.*')\}/.exec(code) ?? []
  await expect(transformWithOxc(code, 'pay-button.jsx')).resolves.toBeTruthy()
  // The JavaScript engine itself reads the literal.
  expect(new Function(`return ${literal}`)()).toBe(HOSTILE)
})

test('a pinned script has its hash, a moving one has none, and a widget that is not built cannot be pinned', () => {
  for (const platform of PLATFORMS.filter((each) => each !== 'wix')) {
    const pinned = writeSnippet(platform, CHANNEL, CHOICE)
    expect(pinned).toMatch(
      /1\.2\.3\/kassa\.js[\s\S]*integrity[\s\S]*sha384-abc\/\+=[\s\S]*cross[oO]rigin[\s\S]*anonymous/,
    )
    const moving = writeSnippet(platform, CHANNEL, { ...CHOICE, isPinned: false })
    expect(moving).toContain('/widget/v1/kassa.js')
    expect(moving).not.toMatch(/integrity|crossorigin/i)
  }
  const unbuilt = { ...CHANNEL, script: { ...CHANNEL.script, pinned: null } }
  expect(writeSnippet('html', unbuilt, CHOICE)).toContain('/widget/v1/kassa.js')
})

test.each(PLATFORMS)(
  'the %s snippet names the payment server, so that a joined script finds it',
  (platform) => {
    const product = { ...CHOICE.product, id: 'tea', name: 'Tea' }
    const code = writeSnippet(platform, CHANNEL, { ...CHOICE, product })
    expect(code).toMatch(/\b(data-)?endpoint(="|: |=\{'|', ')https:\/\/pay\.example['"\n]/)
  },
)

test('in the snippets for WordPress nothing but the link is left once the tags are removed', () => {
  const product = { ...CHOICE.product, name: 'Tea' }
  const choice = { ...CHOICE, product, radiusPx: 0 }
  for (const platform of ['wordpress', 'woocommerce'] as const) {
    const code = writeSnippet(platform, CHANNEL, choice)
    expect(code).toContain('min-height: 48px; --kassa-pay-radius: 0px;"')
    expect(code.replaceAll(/<[^>]*>/g, '').trim()).toBe('Tea')
  }
})

test('the snippet contains only settings that differ from the defaults of the widget', () => {
  const product = { ...CHOICE.product, id: 'tea', name: 'Tea' }
  const plain = writeSnippet(
    'html',
    { ...CHANNEL, returnUrl: 'https://shop.example/thanks' },
    { ...CHOICE, product },
  )
  expect(plain).toBe(`<style>
  kassa-pay:not(:defined) { display: inline-block; min-width: min(100%, 275px); min-height: 48px; }
</style>
<kassa-pay public-key="kpk_1" product-id="tea" product-name="Tea" endpoint="https://pay.example">
  <a href="https://pay.example/pay/kpk_1/tea?a=1&#38;b=2" target="_top">Tea</a>
</kassa-pay>
<script async
  src="https://pay.example/widget/1.2.3/kassa.js"
  integrity="sha384-abc/+="
  crossorigin="anonymous"></script>`)
  const chosen = writeSnippet('html', CHANNEL, {
    ...CHOICE,
    product,
    price: '$1.00',
    label: 'Buy for %s',
    locale: 'hy',
    radiusPx: 0,
    background: { light: '#111111', dark: '#eeeeee' },
    text: { light: '#ffffff', dark: '#ffffff' },
  })
  expect(chosen).toContain('--kassa-pay-bg: light-dark(#111111, #eeeeee);')
  expect(chosen).toContain('--kassa-pay-color: #ffffff;')
  expect(chosen).toContain('--kassa-pay-radius: 0px;')
  expect(chosen).toContain('price="$1.00"')
  expect(chosen).toContain('>Buy for $1.00</a>')
})

test('in WordPress the button is in a paragraph, because themes give the column of the text to blocks alone', () => {
  for (const platform of ['wordpress', 'woocommerce'] as const) {
    const code = writeSnippet(platform, CHANNEL, CHOICE)
    expect(code.startsWith('<p><kassa-pay')).toBe(true)
    expect(code).toContain('</kassa-pay></p>')
  }
})
