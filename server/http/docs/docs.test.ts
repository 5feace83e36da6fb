/** The documentation as it is served: every page, every link in it, and the search. */
import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { listGuides, readGuides } from '../../documents/guides.ts'
import { referencePages } from '../../documents/reference/pages.ts'
import { QUESTIONS } from '../../testing/documents/questions.ts'
import { SAYINGS } from '../../testing/documents/sayings.ts'
import { startKassa } from '../../testing/harness.ts'
import { openKassa } from '../../testing/scene.ts'
import { openApiDocument } from '../openapi/document.ts'
import { QUERY_MAX_CHARS } from './query.ts'

type Page = { path: string; status: number; html: string; ids: string[]; links: string[] }

/** Returns every page under /docs that can be reached from the home page. */
const pages = new Map<string, Page>()

const all = (html: string, pattern: RegExp) => [...html.matchAll(pattern)].map(([, value = '']) => value)

/** Reads pages uncompressed: compressing them all would take longer than writing them. */
async function read(path: string): Promise<Page> {
  const response = await fetch(`${kassa.url}${path}`, { headers: { 'accept-encoding': 'identity' } })
  const html = await response.text()
  const links = all(html, /<a[^>]* href="([^"]+)"/g).map((href) => href.replaceAll('&amp;', '&'))
  return { path, status: response.status, html, ids: all(html, /\sid="([^"]+)"/g), links }
}

/** Returns the target of a link on a page: a path with its query, and an anchor. */
function targetOf(path: string, href: string): { path: string; anchor: string } {
  const url = new URL(href, `${kassa.url}${path}`)
  return { path: url.pathname + url.search, anchor: decodeURIComponent(url.hash.slice(1)) }
}

const isPage = (path: string) => /^\/docs(\/|$|\?)/.test(path) && !/\.\w+$/.test(path)

const kassa = await openKassa()
beforeAll(async () => {
  const waiting = ['/docs']
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue
    const page = await read(path)
    pages.set(path, page)
    const inside = page.links.filter((href) => href.startsWith('/') || /^[?#]/.test(href))
    waiting.push(...inside.map((href) => targetOf(page.path, href).path).filter(isPage))
  }
})

const guide = (name: string) => pages.get(`/docs/${name}`)?.html ?? ''

/** The script of the copy buttons, with its words in the language of the page. */
const OWN_SCRIPT = /<script defer src="\/docs\.js" data-copy="[^"<]+" data-copied="[^"<]+"><\/script>/

describe('every page of the documentation', () => {
  test('is reached from the home page: all guides, all parts of the reference in four languages', () => {
    for (const { name } of listGuides()) expect([...pages.keys()]).toContain(`/docs/${name}`)
    expect([...pages.keys()].filter((path) => path.endsWith('?in=php')).length).toBeGreaterThan(20)
  })

  test('has its own title, one main heading and no id twice', () => {
    for (const { path, html, ids, status } of pages.values()) {
      expect([path, status, html.match(/<h1/g)?.length]).toEqual([path, 200, 1])
      expect([path, ids.filter((id, at) => ids.indexOf(id) !== at)]).toEqual([path, []])
    }
    const plain = [...pages.values()].filter(({ path }) => !path.includes('?'))
    const titles = plain.map(({ html }) => /<title>(.*?)<\/title>/.exec(html)?.[1])
    expect(new Set(titles).size).toBe(plain.length)
  })

  test('has no mark that this server had to fill in', () => {
    for (const { path, html } of pages.values()) expect([path, html.includes('⟦')]).toEqual([path, false])
    expect(pages.get('/docs/api/create-refund?in=php')?.html).toContain(`'url' => '${kassa.url}'`)
    const begin = pages.get('/docs/getting-started')?.html
    expect(begin).toContain(`curl -sS ${kassa.url}/v1/payment-sessions`)
    expect(begin).not.toContain('localhost:3000')
  })

  test('links only to pages and anchors that exist', async () => {
    const lost: string[] = []
    for (const { path, links } of pages.values())
      for (const href of links.filter((each) => !/^https?:/.test(each))) {
        const target = targetOf(path, href)
        const page = pages.get(target.path)
        if (isPage(target.path) && target.anchor && !page?.ids.includes(target.anchor))
          lost.push(`${path}: ${href}`)
        if (!isPage(target.path)) {
          const { status } = await fetch(`${kassa.url}${target.path}`)
          if (status !== 200) lost.push(`${path}: ${href} is ${status}`)
        }
      }
    expect(lost).toEqual([])
  })

  test('has one script, for the copy buttons, and no other origin', () => {
    for (const { html } of pages.values()) {
      expect(html).toMatch(OWN_SCRIPT)
      expect(html.replace(OWN_SCRIPT, '')).not.toMatch(/<script|\son\w+=|\sstyle=/)
      expect(
        all(html, /<(?:link|img)[^>]+(?:href|src)="([^"]+)"/g).filter((each) => !/^\/[\w.-]+$/.test(each)),
      ).toEqual([])
    }
  })
})

test('an old link into the one long page leads to the right entry of the list of pages', () => {
  const home = pages.get('/docs')
  for (const old of ['receiver-kits', 'button-payments', 'events', 'errors', 'createRefund', 'tag-Payments'])
    expect(home?.ids).toContain(old)
  expect(home?.html).toMatch(/<li id="receiver-kits"><a href="\/docs\/api\/receiver-kits">/)
})

test('a guide’s links to files lead to the pages that show them', () => {
  expect(guide('getting-started')).toContain('href="/docs/receiving-events"')
  expect(guide('operating')).toContain('href="/docs/testing#let-time-pass"')
  expect(guide('getting-started')).toContain('href="/docs/api/create-payment-session"')
  expect(guide('receiving-events')).toContain('href="/docs/clients/python/kassa_receiver.py"')
  expect(guide('how-it-is-built')).toContain('href="/docs/adding-a-driver"')
})

test('a guide for shop owners is marked as its language everywhere, and leads to the same guide in the others', () => {
  const names = { en: 'English', hy: 'Հայերեն', ru: 'Русский' }
  const owners = listGuides().filter(({ name }) => name.startsWith('shop/'))
  expect(owners).toHaveLength(15)
  for (const { name, locale } of owners) {
    const html = guide(name)
    expect([name, /^<!doctype html><html lang="(\w+)"/.exec(html)?.[1]]).toEqual([name, locale])
    for (const [other, own] of Object.entries(names).filter(([each]) => each !== locale)) {
      const path = `/docs/${name.replace(`/${locale}/`, `/${other}/`)}`
      expect(html).toContain(`<a href="${path}" lang="${other}" hreflang="${other}">${own}</a>`)
    }
  }
  const contents = /<div class="wide">([\s\S]*?)<\/nav>/.exec(guide('testing'))?.[1] ?? ''
  const parts = contents.split('<div lang="').slice(1)
  for (const { name, locale } of owners)
    expect(parts.find((part) => part.includes(`href="/docs/${name}"`))?.slice(0, 2)).toBe(locale)
})

describe('the search', () => {
  const find = async (query: string) => read(`/docs/search?${new URLSearchParams({ q: query })}`)
  const found = ({ html }: Page) =>
    all(html, /<ol class="found">([\s\S]*)<\/ol>/g).flatMap((list) => all(list, /<a href="([^"]+)"/g))

  test.each([
    ['rate_limited', '/docs/api/errors#error-rate_limited'],
    ['refund a payment', '/docs/api/create-refund'],
    ['late_paid', '/docs/testing#cause-a-fault'],
    ['CLOCK advance', '/docs/testing#let-time-pass'],
    ['rotate-secret', '/docs/receiving-events#replace-the-secret'],
    ['vat', '/docs/branding'],
    ['3ds', '/docs/stripe'],
    ['webhoks', '/docs/receiving-events'],
  ])('finds %s', async (query, href) => {
    expect(found(await find(query)).slice(0, 3)).toContain(href)
  })

  test('leads to the guide by words that it does not use, because each guide has keywords', {
    tags: ['long'],
  }, async () => {
    for (const query of ['webhook', 'webhooks', 'IPN'])
      expect(found(await find(query))[0]).toBe('/docs/receiving-events')
    const without = readGuides(() => true).filter(({ keywords }) => keywords === '')
    expect(without.map(({ name }) => name)).toEqual([])
    const reference = referencePages(openApiDocument('https://pay.example'))
    expect(reference.filter(({ keywords }) => keywords === '').map(({ id }) => id)).toEqual([])
    for (const { html } of pages.values()) expect(html).not.toContain('&lt;!-- keywords')
  })

  test('leads everybody else to the page that answers their question', async () => {
    const wrong: string[] = []
    for (const [query, page] of QUESTIONS) {
      const [first = 'nothing'] = found(await find(query))
      if (first.split('#')[0] !== `/docs/${page}`) wrong.push(`${query}: ${first}`)
    }
    expect(wrong).toEqual([])
    expect(QUESTIONS.length).toBeGreaterThan(20)
  })

  test('leads the owners of shops to their guide in three languages, in their own words', {
    tags: ['long'],
  }, async () => {
    const wrong: string[] = []
    for (const [query, name] of SAYINGS) {
      const [first = 'nothing'] = found(await find(query))
      if (decodeURIComponent(first).split('#')[0] !== `/docs/shop/${name}`) wrong.push(`${query}: ${first}`)
    }
    expect(wrong).toEqual([])
    expect(SAYINGS.length).toBeGreaterThan(50)
  })

  test('answers in the language of the query, or of the page where somebody searched', async () => {
    const russian = await find('возврат')
    expect(russian.html).toMatch(/^<!doctype html><html lang="ru">/)
    expect(russian.html).toMatch(/<ol class="found"><li lang="ru">/)
    const { html } = await read('/docs/search?q=QR&locale=hy')
    expect(html).toMatch(/^<!doctype html><html lang="hy">/)
    expect(html).toMatch(/<ol class="found"><li lang="hy">/)
  })

  test('shows an excerpt with the words, and the query', async () => {
    const { html } = await find('late money')
    expect(html).toMatch(/<mark>late<\/mark> <mark>money<\/mark>/i)
    expect(html).toContain('value="late money"')
  })

  test('finds only parts with every word, and says so if there is none', async () => {
    const page = await find('refund zebra')
    expect(found(page)).toEqual([])
    expect(page.html).toContain('Nothing holds all of these words')
  })

  test('shows hostile and very long queries as text, and finds nothing', async () => {
    for (const query of [
      '<img src=x onerror=alert(1)>',
      '"><script>alert(1)</script>',
      '\\',
      '$&',
      '(a+)+$',
      '*'.repeat(90),
    ]) {
      const page = await find(query)
      expect(page.status).toBe(200)
      expect(page.html.replace(OWN_SCRIPT, '')).not.toMatch(/<img src=x|<script/)
    }
    const long = await find('a'.repeat(10_000))
    expect(long.html).not.toContain('a'.repeat(QUERY_MAX_CHARS + 1))
    expect((await read('/docs/search')).html).toContain('Type one or more words')
    expect((await read('/docs/search?q=a&q=b')).status).toBe(200)
  })
})

describe('an answer', () => {
  /** fetch would decode the body. */
  const raw = (path: string, headers: Record<string, string>) =>
    new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
      request(`${kassa.url}${path}`, { headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        )
      })
        .on('error', reject)
        .end()
    })

  test('is compressed for clients that accept it, cached, and not sent again to a client that has it', async () => {
    const plain = await raw('/docs/testing', {})
    const zipped = await raw('/docs/testing', { 'accept-encoding': 'gzip' })
    const brotli = await raw('/docs/testing', { 'accept-encoding': 'gzip, br' })
    expect([zipped.headers['content-encoding'], brotli.headers['content-encoding']]).toEqual(['gzip', 'br'])
    expect(gunzipSync(zipped.body).equals(plain.body)).toBe(true)
    expect(brotli.body.length).toBeLessThan(plain.body.length / 3)
    expect(plain.headers['cache-control']).toBe('public, max-age=300')
    expect(plain.headers.vary).toContain('Accept-Encoding')
    const etag = String(brotli.headers.etag)
    const again = await raw('/docs/testing', { 'accept-encoding': 'br', 'if-none-match': etag })
    expect([again.status, again.body.length]).toEqual([304, 0])
    expect(zipped.headers.etag).not.toBe(etag)
  })

  test('without a page shows a page that helps, and another method gets 405', async () => {
    const missing = await read('/docs/no-such-page')
    expect([missing.status, missing.html]).toEqual([404, expect.stringContaining('There is no such page')])
    for (const path of ['/docs', '/docs/testing', '/docs/search', '/docs/api/events']) {
      const refused = await fetch(`${kassa.url}${path}`, { method: 'POST' })
      expect([path, refused.status, refused.headers.get('allow')]).toEqual([path, 405, 'GET, HEAD'])
    }
    expect((await read('/docs/testing/')).status).toBe(200)
    const { status, headers } = await fetch(`${kassa.url}/docs/quickstart`, { redirect: 'manual' })
    expect([status, headers.get('location')]).toEqual([301, '/docs/api/quickstart'])
  })

  test('counts against the limit of pages', async () => {
    const limited = await startKassa({ settings: { RATE_LIMITS: 'page=1:2' } })
    const statuses: number[] = []
    for (let at = 0; at < 4; at += 1) statuses.push((await fetch(`${limited.url}/docs/search?q=a`)).status)
    await limited.close()
    expect(statuses.slice(0, 2)).toEqual([200, 200])
    expect(statuses).toContain(429)
  })
})
