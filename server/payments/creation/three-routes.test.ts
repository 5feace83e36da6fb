/** Buyers choose between cards, a wallet and PayPal: each currency has the routes that take it, and each route says what works there. */
import { describe, expect, test } from 'vitest'
import { listAttempts } from '../../storage/payments/attempt-orders.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findPayment } from '../../storage/payments/payments.ts'
import { createSession, lookUp, readCapabilities, readPage, sessionRequest } from '../../testing/calls.ts'
import { setThreeRoutes } from '../../testing/providers/three-routes.ts'
import { closeAfter } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const scene = closeAfter(await setThreeRoutes())

let orders = 0
async function open(currency: string) {
  const key = `three-${++orders}`
  const body = sessionRequest({ merchantOrderId: key, currency, amountMinor: 190_000 })
  const { body: created } = await createSession(scene.kassa.url, scene.shop, { key, body })
  return created as { id: string; checkoutUrl: string }
}
const choicesOn = (html: string) =>
  [...html.matchAll(/name="route" value="(\w+)"/g)].map(([, route]) => route)

test.each([
  ['AMD', ['route_a', 'route_b']],
  ['USD', ['route_a', 'route_c']],
])('for %s the page offers the routes that take it', async (currency, routes) => {
  const { checkoutUrl } = await open(currency)
  for (const [locale, label] of [
    ['en', 'Bank card'],
    ['ru', 'Банковская карта'],
    ['hy', 'Բանկային քարտ'],
  ]) {
    const { html } = await readPage(`${checkoutUrl}?locale=${locale}`)
    expect(choicesOn(html)).toEqual(routes)
    expect(html).toContain(label)
  }
})

/** Presses a button of the checkout page: a route, or the one that leaves the open order. Returns the page that follows. */
async function press(checkoutUrl: string, fields: Record<string, string>, locale = 'en') {
  const address = `${checkoutUrl}/continue?locale=${locale}`
  const answer = await fetch(address, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams(fields),
  })
  expect(answer.status).toBe(303)
  return new URL(answer.headers.get('location') ?? '', checkoutUrl).href
}
const LEAVE = { leave: '1' }
const find = async (id: string) =>
  (await findPayment(scene.kassa.ctx.db, scene.shop.merchantId, id)) as AttemptedPayment
const attempts = async (id: string) =>
  (await listAttempts(scene.kassa.ctx.db, await find(id))).map(({ provider, state }) => [provider, state])

/** Idram asks whether the bill may be paid. */
async function precheck({ attempt }: AttemptedPayment): Promise<string> {
  const { EDP_REC_ACCOUNT = '', EDP_BILL_NO = '', EDP_AMOUNT = '' } = attempt.form?.fields ?? {}
  const body = new URLSearchParams({ EDP_PRECHECK: 'YES', EDP_REC_ACCOUNT, EDP_BILL_NO, EDP_AMOUNT })
  const address = `${scene.kassa.url}/callbacks/${scene.kassa.ctx.routes.route_b.id}`
  return (await fetch(address, { method: 'POST', body })).text()
}

describe('a buyer who has gone on to one provider and comes back', () => {
  test('leaves the wallet, whose bill is refused from then on, and pays by card', async () => {
    const { kassa, shop, simulators } = scene
    const { id, checkoutUrl } = await open('AMD')
    await press(checkoutUrl, { route: 'route_b' })
    const left = await find(id)
    for (const [locale, label, text] of [
      ['en', 'Pay another way', 'What you had begun was ended, and no money was taken.'],
      ['ru', 'Оплатить другим способом', 'Начатая оплата отменена, деньги не списаны.'],
      ['hy', 'Վճարել այլ եղանակով', 'Սկսված վճարումը դադարեցվել է, գումար չի գանձվել։'],
    ] as const) {
      if (locale === 'en') expect((await readPage(`${checkoutUrl}?locale=${locale}`)).html).toContain(label)
      const { html } = await readPage(await press(checkoutUrl, LEAVE, locale))
      expect([choicesOn(html), html]).toEqual([['route_a', 'route_b'], expect.stringContaining(text)])
      expect(html).not.toContain(label)
    }
    expect(await precheck(left)).toBe('REFUSED')
    const form = left.attempt.form ?? { action: '', fields: {} }
    await simulators.idram?.buyer({ kind: 'form', ...form }, 'pay')
    const url = await press(checkoutUrl, { route: 'route_a' })
    await simulators.rbs?.buyer({ kind: 'redirect', url }, 'pay')
    await fetch(`${checkoutUrl}/return`, { redirect: 'manual' })
    expect((await lookUp(kassa.url, shop, id)).body).toMatchObject({ status: 'paid', provider: 'route_a' })
    expect(await attempts(id)).toEqual([
      ['route_b', 'withdrawn'],
      ['route_a', 'paid'],
    ])
    expect((await simulators.idram?.books(left.attempt.reference))?.capturedMinor).toBe(0)
  })

  test('stays with a wallet that may take the money already', async () => {
    const { id, checkoutUrl } = await open('AMD')
    await press(checkoutUrl, { route: 'route_b' })
    expect(await precheck(await find(id))).toBe('OK')
    for (const [locale, text] of [
      ['en', 'You can still pay where you began, until'],
      ['ru', 'Начатый платёж ещё можно завершить до'],
      ['hy', 'Սկսված վճարումը դեռ կարող եք ավարտել մինչև'],
    ] as const) {
      const { html } = await readPage(await press(checkoutUrl, LEAVE, locale))
      expect([choicesOn(html), html]).toEqual([[], expect.stringContaining(text)])
    }
    await press(checkoutUrl, { route: 'route_a' })
    expect(await attempts(id)).toEqual([['route_b', 'open']])
  })

  test('at the moment of the pre-check either leaves, or may still pay there', async () => {
    const seen = new Set<string>()
    for (let times = 0; times < 6; times++) {
      const { id, checkoutUrl } = await open('AMD')
      await press(checkoutUrl, { route: 'route_b' })
      const stored = await find(id)
      const left = press(checkoutUrl, LEAVE)
      // The two meet at different points.
      for (let lines = 0; lines < 2 * times; lines++) await scene.kassa.ctx.db.query('select 1')
      const [verdict] = await Promise.all([precheck(stored), left])
      const [[, state] = []] = await attempts(id)
      expect([verdict, state]).toEqual(verdict === 'OK' ? ['OK', 'open'] : ['REFUSED', 'withdrawn'])
      seen.add(verdict)
    }
    console.info(`seen: ${[...seen].join(', ')}`)
  })

  test('leaves PayPal, which takes nothing of what is approved there later', async () => {
    const { simulators, kassa, shop } = scene
    const { id, checkoutUrl } = await open('USD')
    const url = await press(checkoutUrl, { route: 'route_c' })
    const { html } = await readPage(await press(checkoutUrl, LEAVE))
    expect(choicesOn(html)).toEqual(['route_a', 'route_c'])
    const { reference } = (await find(id)).attempt
    await simulators.paypal?.buyer({ kind: 'redirect', url }, 'approve')
    await fetch(`${checkoutUrl}/return`, { redirect: 'manual' })
    expect([await attempts(id), (await simulators.paypal?.books(reference))?.capturedMinor]).toEqual([
      [['route_c', 'withdrawn']],
      0,
    ])
    const card = await press(checkoutUrl, { route: 'route_a' })
    await simulators.rbs?.buyer({ kind: 'redirect', url: card }, 'pay')
    await fetch(`${checkoutUrl}/return`, { redirect: 'manual' })
    expect((await lookUp(kassa.url, shop, id)).body).toMatchObject({ status: 'paid', provider: 'route_a' })
    expect((await simulators.paypal?.books(reference))?.capturedMinor).toBe(0)
  })

  test('at the moment of an approval either pays with PayPal, or has left it', async () => {
    const { simulators } = scene
    const seen = new Set<string>()
    for (let times = 0; times < 3; times++) {
      const { id, checkoutUrl } = await open('USD')
      const url = await press(checkoutUrl, { route: 'route_c' })
      const { reference } = (await find(id)).attempt
      const approve = async () => {
        for (let lines = 0; lines < 2 * times; lines++) await scene.kassa.ctx.db.query('select 1')
        await simulators.paypal?.buyer({ kind: 'redirect', url }, 'approve')
        await fetch(`${checkoutUrl}/return`, { redirect: 'manual' })
      }
      await Promise.all([approve(), press(checkoutUrl, LEAVE)])
      const [[, state = ''] = []] = await attempts(id)
      const taken = (await simulators.paypal?.books(reference))?.capturedMinor
      expect([state, taken]).toEqual(state === 'withdrawn' ? ['withdrawn', 0] : ['paid', 190_000])
      seen.add(state)
    }
    console.info(`seen: ${[...seen].join(', ')}`)
  })

  test('stays with the bank that cannot end an order, until the bank says that it is over', async () => {
    const { simulators, kassa } = scene
    const { id, checkoutUrl } = await open('AMD')
    await press(checkoutUrl, { route: 'route_a' })
    const kept = await readPage(await press(checkoutUrl, LEAVE))
    expect([choicesOn(kept.html), kept.html]).toEqual([[], expect.stringContaining('data-testid="kept"')])
    const { expiresAt } = (await find(id)).attempt
    const ms = expiresAt.getTime() - kassa.clock.now().getTime() + 1_000
    expect(ms).toBeLessThanOrEqual(21 * 60_000)
    kassa.clock.advance(ms)
    await simulators.rbs?.advance(ms)
    const { html } = await readPage(await press(checkoutUrl, LEAVE))
    expect(choicesOn(html)).toEqual(['route_a', 'route_b'])
    expect(await attempts(id)).toEqual([['route_a', 'expired']])
  })

  test('and leaves the payment altogether: it expires', async () => {
    const { kassa } = scene
    const { id, checkoutUrl } = await open('AMD')
    await press(checkoutUrl, { route: 'route_b' })
    await press(checkoutUrl, LEAVE)
    const { expiresAt } = await find(id)
    kassa.clock.advance(expiresAt.getTime() - kassa.clock.now().getTime() + 1_000)
    await SWEEPS.statusSync(kassa.ctx)
    expect((await find(id)).status).toBe('expired')
  })
})

test('whoever chooses the wallet gets its form, and pays there', async () => {
  const { kassa, shop, simulators } = scene
  const { id, checkoutUrl } = await open('AMD')
  const choose = new URLSearchParams({ route: 'route_b' })
  const chosen = await fetch(`${checkoutUrl}/continue`, { method: 'POST', body: choose, redirect: 'manual' })
  expect(chosen.status).toBe(303)
  const { html } = await readPage(new URL(chosen.headers.get('location') ?? '', checkoutUrl).href)
  const { form } = (await findPayment(kassa.ctx.db, shop.merchantId, id))?.attempt ?? {}
  expect(html).toContain(`name="EDP_BILL_NO" value="${form?.fields.EDP_BILL_NO}"`)
  await simulators.idram?.buyer({ kind: 'form', action: '', fields: {}, ...form }, 'pay')
  expect((await lookUp(kassa.url, shop, id)).body).toMatchObject({ status: 'paid', provider: 'route_b' })
})

test('each route says what works there', async () => {
  const { kassa, shop } = scene
  const { body } = await readCapabilities(kassa.url, shop)
  const shownFor = (route: string) => {
    const found = body.providers.find(({ id }: { id: string }) => id === route)
    const enabled = Object.entries(found.capabilities as Record<string, { enabled: boolean }>)
      .filter(([, state]) => state.enabled)
      .map(([name]) => name)
    return { label: found.label, currencies: found.currencies, enabled }
  }
  const always = ['payment_links', 'qr_presentation']
  expect(shownFor('route_a')).toMatchObject({
    label: 'ArCa',
    currencies: ['AMD', 'USD', 'EUR'],
    enabled: [...always, 'refund', 'capture', 'void', 'tokenization', 'subscriptions', 'cancel'],
  })
  expect(shownFor('route_b')).toEqual({ label: 'Idram', currencies: ['AMD'], enabled: [...always, 'cancel'] })
  expect(shownFor('route_c')).toMatchObject({ label: 'PayPal', currencies: ['USD', 'EUR'] })
})
