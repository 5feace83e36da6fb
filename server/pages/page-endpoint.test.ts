import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSession } from '../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'

/** After this time a permit is available again. It is far longer than this test takes on the busiest machine. */
const PERMIT_SECONDS = 100

/** The headers of one visitor. The proxy in front sets the address. */
const visit = (url: string, address: string, language = 'en') =>
  fetch(url, { redirect: 'manual', headers: { 'x-forwarded-for': address, 'accept-language': language } })

describe('above its limit', () => {
  let kassa: Kassa
  let shop: Shop
  beforeAll(async () => {
    kassa = await startKassa({ settings: { TRUST_PROXY: '1', RATE_LIMITS: `page=${1 / PERMIT_SECONDS}:3` } })
    shop = await openShop(kassa.ctx)
  })
  afterAll(() => kassa.close())

  test('an address gets a page that asks it to wait, in its language, and no other address does', async () => {
    const address = `${kassa.url}/install/${shop.publicKey}?product=tea`
    const started = performance.now()
    for (let count = 0; count < 3; count++) expect((await visit(address, '192.0.2.1')).status).toBe(200)
    const refused = await visit(address, '192.0.2.1', 'ru')
    // The first permit may have been taken just after the start, and the response counts the seconds since then.
    const elapsedSeconds = Math.floor((performance.now() - started) / 1000)
    const expected = Array.from({ length: elapsedSeconds + 1 }, (_, late) => String(PERMIT_SECONDS - late))
    expect(refused.status).toBe(429)
    expect(expected).toContain(refused.headers.get('retry-after'))
    expect(refused.headers.get('ratelimit')).toMatch(/"page";r=0/)
    const html = await refused.text()
    expect(html).toContain('data-kind="busy"')
    expect(html).toContain('lang="ru"')
    expect((await visit(address, '192.0.2.2')).status).toBe(200)
    // All pages share the limit, including unknown ones.
    expect((await visit(`${kassa.url}/install/kpk_none`, '192.0.2.1')).status).toBe(429)
    expect((await visit(`${kassa.url}/checkout/pay_none`, '192.0.2.1')).status).toBe(429)
  })

  test('a buyer who returns from the bank is never rejected', async () => {
    const { body } = await createSession(kassa.url, shop, { key: 'returning' })
    const back = `${kassa.url}/checkout/${body.id}/return`
    for (let count = 0; count < 6; count++) expect((await visit(back, '192.0.2.3')).status).toBe(303)
  })
})

test('a site builder who changes options as fast as the page sends them stays below the limit', async () => {
  const kassa = await startKassa({ settings: { RATE_LIMITS: 'write=25:100' } })
  try {
    const { publicKey } = await openShop(kassa.ctx)
    // As many requests as a quarter of a minute of dragging at a colour, at once, and more than may be written.
    const request = Array.from({ length: 120 }, (_, index) =>
      fetch(`${kassa.url}/install/${publicKey}?background=%230000${String(index % 90).padStart(2, '0')}`),
    )
    expect(new Set((await Promise.all(request)).map(({ status }) => status))).toEqual(new Set([200]))
  } finally {
    await kassa.close()
  }
})

test('under https a cookie belongs to this host name alone, and one without the prefix is still read', async () => {
  const kassa = await startKassa({ settings: { BASE_URL: 'https://pay.example' } })
  try {
    const { publicKey } = await openShop(kassa.ctx)
    const address = `${kassa.url}/install/${publicKey}`
    const { headers } = await fetch(`${address}?locale=ru`)
    expect(headers.get('set-cookie')).toBe('__Host-kassa_locale=ru; Path=/; HttpOnly; Secure; SameSite=Lax')
    for (const [cookie, language] of [
      ['__Host-kassa_locale=ru', 'ru'],
      ['kassa_locale=ru', 'ru'],
      ['__Host-kassa_locale=ru; kassa_locale=hy', 'ru'],
      ['kassa_locale=hy; __Host-kassa_locale=ru', 'ru'],
      ['other__Host-kassa_locale=ru', 'en'],
    ] as const) {
      const html = await (await fetch(address, { headers: { cookie, 'accept-language': 'en' } })).text()
      expect([cookie, html.includes(`lang="${language}"`)]).toEqual([cookie, true])
    }
  } finally {
    await kassa.close()
  }
})
