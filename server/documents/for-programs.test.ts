/** What programs read, as the service serves it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openKassa } from '../clients/node/kassa.mjs'
import { ENDPOINTS } from '../http/endpoints/index.ts'
import { openApiDocument, templateOf } from '../http/openapi/document.ts'
import { type Kassa, openShop, startKassa } from '../testing/harness.ts'
import { listGuides } from './guides.ts'
import { markdownOf } from './plain.ts'
import { CLIENT_VERBS } from './reference/client-calls.ts'
import { referencePages } from './reference/pages.ts'

let kassa: Kassa
beforeAll(async () => {
  kassa = await startKassa()
})
afterAll(() => kassa.close())

const PAGES = [
  ...listGuides().map(({ name }) => `/docs/${name}`),
  ...referencePages(openApiDocument('https://pay.example')).map(({ path }) => path),
]

test('llms.txt leads to every page as Markdown, with this server’s own addresses', async () => {
  const list = await fetch(`${kassa.url}/docs/llms.txt`)
  expect(list.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(list.headers.get('content-disposition')).toBe(null)
  const links = [...(await list.text()).matchAll(/^- \[[^\]]+\]\((\S+)\): \S/gm)].map(([, link = '']) => link)
  expect(links.toSorted()).toEqual(PAGES.map((path) => `${kassa.url}${path}.md`).toSorted())
  for (const link of links) {
    const page = await fetch(link)
    expect([link, page.status, page.headers.get('content-type')]).toEqual([
      link,
      200,
      'text/markdown; charset=utf-8',
    ])
    const text = await page.text()
    expect(text).toMatch(/^# \S/)
    // Nothing of the page's own marks, markup or ways around is left.
    expect(text.replaceAll(/```[\s\S]*?```|`[^`]*`/g, '')).not.toMatch(/⟦|<\/?(div|p|span|table|code|a)\b/)
  }
})

test('a page has its examples in every language, with the clients', async () => {
  const text = await (await fetch(`${kassa.url}/docs/api/create-refund.md`)).text()
  for (const part of ['curl -sS -X POST', 'await kassa.refund(', '= kassa.refund(', '$kassa->refund('])
    expect(text).toContain(part)
})

test('every verb of the clients is the example of one endpoint', () => {
  const verbs = Object.keys(openKassa({ url: 'https://pay.example', token: 'ksk_1' }))
  expect(Object.values(CLIENT_VERBS).toSorted()).toEqual(verbs.toSorted())
})

test('a page keeps its headings, links, lists, tables and code', () => {
  const html = `<h2 id="a">Two <code>b</code></h2><nav>left out</nav><p>A <a href="/docs/x">link</a> &amp; <strong>more</strong>.</p>
    <ul><li>one</li><li>two</li></ul><table><thead><tr><th>x|y</th><th>z</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>
    <figure><figcaption>Shell</figcaption><pre><code>a  |  b
c &lt;d&gt;</code></pre></figure>`
  expect(markdownOf(html)).toBe(`## Two \`b\`

A [link](/docs/x) & **more**.

- one
- two

| x\\|y | z |
| --- | --- |
| 1 | 2 |

\`\`\`
a  |  b
c <d>
\`\`\`
`)
})

test.each([
  [
    'a block in an item',
    '<ol><li>one<p>Each</p><pre><code>a\n\nb</code></pre></li></ol>',
    '1. one\n\n   Each\n\n   ```\n   a\n\n   b\n   ```',
  ],
  ['a block first in an item', '<ul><li><p>a</p><p>b</p></li><li>c</li></ul>', '- a\n\n  b\n- c'],
  [
    'a list in an item, and text behind it',
    '<ol><li>a<ul><li>b</li></ul>c</li></ol>',
    '1. a\n\n   - b\n\n   c',
  ],
  ['text behind a block', '<div>a<p>b</p>c</div>', 'a\n\nb\n\nc'],
  ['a line break', '<p>one<br/>two</p><h2>one<br/>two</h2>', 'one\ntwo\n\n## one two'],
  [
    'blocks in a cell',
    '<table><tbody><tr><td><p>a</p><ul><li>b</li><li>c</li></ul><pre>d|\ne</pre></td><td>f</td></tr></tbody></table>',
    '| a b c `d\\| e` | f |',
  ],
  ['backticks in a block of code', '<pre>```sh\nx\n```</pre>', '````\n```sh\nx\n```\n````'],
  ['backticks in a piece of code', '<p><code>a`b</code> <code>`</code></p>', '``a`b`` `` ` ``'],
  ['blocks in a link', '<a href="/x"><h3>a</h3><p>b</p></a>', '[a b](/x)'],
])('%s keeps its place', (_, markup, expected) => {
  expect(markdownOf(markup)).toBe(`${expected}\n`)
})

type Item = {
  name: string
  item?: Item[]
  request?: {
    method: string
    url: { raw: string }
    header: { key: string; value: string }[]
    body?: { raw: string }
  }
}

test('the collection for Postman has every endpoint, and its requests work', async () => {
  const file = await fetch(`${kassa.url}/docs/kassa.postman_collection.json`)
  expect(file.headers.get('content-disposition')).toMatch(/^attachment; /)
  const { item, variable } = (await file.json()) as {
    item: Item[]
    variable: { key: string; value: string }[]
  }
  expect(variable).toContainEqual({ key: 'baseUrl', value: kassa.url })
  const requests = item.flatMap((folder) => folder.item ?? []).flatMap(({ request }) => request ?? [])
  const answers = requests.map(
    ({ method, url }) => `${method} ${url.raw.replace('{{baseUrl}}', '').split('?')[0]}`,
  )
  const isOf = ({ method, path }: { method: string; path: string }) =>
    new RegExp(`^${method.toUpperCase()} ${templateOf(path).replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  expect(ENDPOINTS.filter((each) => !answers.some((one) => isOf(each).test(one)))).toEqual([])
  expect(answers.length).toBe(ENDPOINTS.length)
  // What an earlier request has made is a variable, so no id of an example is left.
  const texts = requests.map(({ url, body }) => `${url.raw} ${body?.raw}`)
  expect(texts.filter((text) => /_test_/.test(text))).toEqual([])
  expect(variable.map(({ key }) => key)).toContain('paymentId')
  const shop = await openShop(kassa.ctx)
  for (const [path, status] of [
    ['/api/health', 200],
    ['/v1/capabilities', 200],
    ['/v1/payment-sessions', 201],
    ['/v1/payment-links', 201],
  ] as const) {
    const {
      method = '',
      url,
      header = [],
      body,
    } = requests.find(({ url: { raw } }) => raw.endsWith(path)) ?? {}
    const headers = Object.fromEntries(header.map(({ key, value }) => [key, value]))
    const answer = await fetch(url?.raw.replace('{{baseUrl}}', kassa.url) ?? '', {
      method,
      headers: { ...headers, authorization: `Bearer ${shop.token}` },
      ...(body && { body: body.raw }),
    })
    expect([path, answer.status]).toEqual([path, status])
  }
})
