import { beforeEach, describe, expect, test } from 'vitest'
import { createInstallation, revokeInstallation } from '../../merchants/installation.ts'
import { setProduct } from '../../merchants/product.ts'
import { listPayments } from '../../storage/search/list.ts'
import { payAtBank, readPage } from '../../testing/calls.ts'
import { openShop, SHOP_ORIGIN, type Shop, startKassa } from '../../testing/harness.ts'
import { scriptRoute } from '../../testing/providers/scripted-driver.ts'
import { forgetCached } from '../../testing/real-time.ts'
import { openKassa } from '../../testing/scene.ts'

const MINUTE_MS = 60_000
/** How long look-ups are cached. */

let shop: Shop
const kassa = await openKassa()
beforeEach(async () => {
  shop = await openShop(kassa.ctx)
})

const payments = () => listPayments(kassa.ctx.db, { merchantId: shop.merchantId, limit: 50 })
const pagePath = (query = '', { key = shop.publicKey, product = 'tea' } = {}) =>
  `/pay/${key}/${product}${query}`
const show = (path = pagePath()) => readPage(kassa.url + path)
const tokenOf = (html: string) => /name="token" value="([^"]+)"/.exec(html)?.[1] ?? ''

type Sent = { token: string; path?: string; headers?: Record<string, string> }
async function send({ token, path = pagePath(), headers = { 'sec-fetch-site': 'same-origin' } }: Sent) {
  const body = new URLSearchParams({ token })
  const answer = await fetch(kassa.url + path, { method: 'POST', headers, body, redirect: 'manual' })
  return { status: answer.status, location: answer.headers.get('location'), html: await answer.text() }
}

test('the page shows the shop, the product and the price, and creates nothing', async () => {
  const page = await show()
  expect(page.status).toBe(200)
  for (const part of ['Test shop', 'Tea', '$19.00', 'noindex', 'data-testid="pay"'])
    expect(page.html).toContain(part)
  await fetch(kassa.url + pagePath(), { method: 'HEAD' })
  await fetch(kassa.url + pagePath(), { headers: { 'sec-purpose': 'prefetch;prerender' } })
  expect(await payments()).toEqual([])
})

test('the form creates the payment and leads to the bank at once, without another page', async () => {
  const { status, location } = await send({ token: tokenOf((await show()).html) })
  const [payment] = await payments()
  expect([status, location]).toEqual([303, payment?.attempt.checkoutUrl])
  expect(payment).toMatchObject({
    amountMinor: 1900,
    currency: 'USD',
    description: 'Tea',
    returnUrl: `${SHOP_ORIGIN}/thanks`,
    metadata: { source: 'widget', productId: 'tea' },
  })
})

test('the same form sent ten times at once, and once more after it is paid, makes one payment', async () => {
  const token = tokenOf((await show()).html)
  const answers = await Promise.all(Array.from({ length: 10 }, () => send({ token })))
  const [location = '', ...others] = new Set(answers.map((each) => each.location ?? ''))
  expect(others).toEqual([])
  await payAtBank(location ?? '', 'paid')
  const [payment, ...more] = await payments()
  expect((await send({ token })).location).toBe(`${kassa.ctx.baseUrl}/checkout/${payment?.id}`)
  expect(more).toEqual([])
})

test('a form of a cancelled payment starts a new one, and so does a page loaded again', async () => {
  const token = tokenOf((await show()).html)
  const { location } = await send({ token })
  await payAtBank(location ?? '', 'cancelled')
  expect((await send({ token })).location).not.toBe(location)
  await send({ token: tokenOf((await show()).html) })
  expect(await payments()).toHaveLength(3)
})

describe('a form is rejected, creates nothing and is shown again', () => {
  const foreign: [string, Record<string, string>][] = [
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of a neighbour under the same domain', { 'sec-fetch-site': 'same-site' }],
    ['of no page', { 'sec-fetch-site': 'none' }],
    ['of an old browser on another site', { origin: SHOP_ORIGIN }],
    ['of an old browser that hides its origin', { origin: 'null' }],
    ['of nobody knows where', {}],
  ]
  test.each(foreign)('%s', async (_, headers) => {
    const answer = await send({ token: tokenOf((await show()).html), headers })
    expect(answer.status).toBe(403)
    expect(answer.html).toContain('data-testid="pay"')
    expect(await payments()).toEqual([])
  })

  test.each([
    ['without a token', () => ''],
    ['with a token that was changed', (token: string) => token.replace('.1900.', '.1.')],
    ['with a reference of its own', (token: string) => token.replace(/^wgt_/, 'xyz_')],
    ['with another seal', (token: string) => `${token.slice(0, -4)}AAAA`],
  ])('%s', async (_, change) => {
    const answer = await send({ token: change(tokenOf((await show()).html)) })
    expect(answer.status).toBe(409)
    expect(tokenOf(answer.html)).not.toBe('')
    expect(await payments()).toEqual([])
  })

  test('that is too old', async () => {
    const token = tokenOf((await show()).html)
    kassa.clock.advance(30 * MINUTE_MS)
    const answer = await send({ token })
    expect(answer.status).toBe(409)
    expect((await send({ token: tokenOf(answer.html) })).status).toBe(303)
  })

  test('for another product, another return address or another key', async () => {
    const token = tokenOf((await show()).html)
    const twin = await createInstallation(kassa.ctx, { merchantId: shop.merchantId, origins: [SHOP_ORIGIN] })
    const elsewhere = `?${new URLSearchParams({ return: `${SHOP_ORIGIN}/other` })}`
    for (const path of [
      pagePath('', { product: 'cup' }),
      pagePath(elsewhere),
      pagePath('', { key: twin.publicKey }),
    ])
      expect((await send({ token, path })).status).toBe(409)
    expect(await payments()).toEqual([])
  })

  test('whose price has changed since', async () => {
    const token = tokenOf((await show()).html)
    const { merchantId } = shop
    await setProduct(kassa.ctx, {
      merchantId,
      id: 'tea',
      name: 'Tea',
      amountMinor: 2100,
      currency: 'USD',
      provider: null,
    })
    forgetCached()
    const answer = await send({ token })
    expect(answer.status).toBe(409)
    expect(answer.html).toContain('$21.00')
    expect(await payments()).toEqual([])
  })
})

test('a form of an old browser on our own page is accepted by its origin', async () => {
  const { origin } = new URL(kassa.ctx.baseUrl)
  const { html } = await show()
  // Without this element a browser hides the origin of a form.
  expect(html).toContain('<meta name="referrer" content="same-origin"')
  expect((await send({ token: tokenOf(html), headers: { origin } })).status).toBe(303)
})

test('unknown and revoked keys get the same page, and so do unknown products of a shop', async () => {
  const revoked = await openShop(kassa.ctx)
  await revokeInstallation(kassa.ctx, revoked.installationId)
  const other = await openShop(kassa.ctx)
  await setProduct(kassa.ctx, {
    merchantId: other.merchantId,
    id: 'secret',
    name: 'Secret',
    amountMinor: 1,
    currency: 'USD',
    provider: null,
  })
  const paths = [
    pagePath('', { key: 'kpk_unknown' }),
    pagePath('', { key: revoked.publicKey }),
    pagePath(`?${new URLSearchParams({ return: 'https://evil.example/' })}`, { key: revoked.publicKey }),
    pagePath('', { product: 'nothing' }),
    pagePath('', { product: 'secret' }),
  ]
  const pages = await Promise.all(paths.map(show))
  expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([404]))
  const bare = ({ html }: { html: string }) => html.replaceAll(/<nav.*<\/nav>/gs, '')
  const [unknown, ...others] = pages.map(bare)
  const [key, returning, product, secret] = others
  expect([key, returning]).toEqual([unknown, unknown])
  expect(secret).toBe(product)
  const sent = await Promise.all(paths.map((path) => send({ token: 'x', path })))
  expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([404]))
})

describe('the return address', () => {
  const ask = (address: string) => pagePath(`?${new URLSearchParams({ return: address })}`)

  test('may be any on an origin of the installation, and is kept through the form', async () => {
    const path = ask(`${SHOP_ORIGIN}/shelf?a=1&b=2`)
    await send({ path, token: tokenOf((await show(path)).html) })
    expect((await payments())[0]?.returnUrl).toBe(`${SHOP_ORIGIN}/shelf?a=1&b=2`)
  })

  test.each([
    'https://evil.example/',
    `${SHOP_ORIGIN}.evil.example/`,
    `${SHOP_ORIGIN}@evil.example/`,
    '//evil.example',
    'javascript:alert(1)',
    '/thanks',
    '',
    'http://shop.example/',
    `${SHOP_ORIGIN}/${'x'.repeat(300)}`,
    `${SHOP_ORIGIN}/?card=4111111111111111`,
  ])('%j is rejected with a page for people', async (address) => {
    const page = await show(ask(address))
    expect(page.status).toBe(422)
    expect(page.html).not.toMatch(/evil|javascript|data-testid="pay"/)
  })

  test('may be missing: the buyer then stays on our own page', async () => {
    const { merchantId } = shop
    const bare = await createInstallation(kassa.ctx, { merchantId, origins: [SHOP_ORIGIN] })
    const path = pagePath('', { key: bare.publicKey })
    const { location } = await send({ path, token: tokenOf((await show(path)).html) })
    const [payment] = await payments()
    const page = `${kassa.ctx.baseUrl}/checkout/${payment?.id}`
    expect(await payAtBank(location ?? '', 'paid')).toBe(`${page}?returned=1`)
    const { html } = await readPage(`${page}?returned=1`)
    expect(html).toContain('data-status="paid"')
    expect(html).not.toContain('data-testid="back"')
  })
})

test('a language that was chosen is kept up to the checkout', async () => {
  const path = pagePath('?locale=hy')
  const page = await show(path)
  expect(page.html).toContain('<html lang="hy">')
  await send({ path, token: tokenOf(page.html) })
  expect(await payments()).toMatchObject([{ locale: 'hy' }])
})

test('while the provider cannot be reached a page says so, and the same form works afterwards', async () => {
  const before = kassa.ctx.routes.route_a
  const script = scriptRoute(kassa.ctx)
  try {
    script.starts.push(() => ({ kind: 'refused', message: 'closed', refusal: 'request' }))
    const token = tokenOf((await show()).html)
    const answer = await send({ token })
    expect(answer.status).toBe(503)
    expect(answer.html).toContain('data-kind="unavailable"')
    expect((await send({ token })).status).toBe(303)
  } finally {
    kassa.ctx.routes.route_a = before
  }
})

test('forms share the limit of the widget’s calls: above it a page asks the buyer to wait', async () => {
  const limited = await startKassa({ settings: { RATE_LIMITS: 'widget_address=0.1:2' } })
  try {
    const { publicKey } = await openShop(limited.ctx)
    const post = () => fetch(`${limited.url}/pay/${publicKey}/tea`, { method: 'POST', redirect: 'manual' })
    expect([(await post()).status, (await post()).status]).toEqual([403, 403])
    const refused = await post()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    expect(await refused.text()).toContain('data-kind="busy"')
    expect((await fetch(`${limited.url}/pay/${publicKey}/tea`)).status).toBe(200)
  } finally {
    await limited.close()
  }
})
