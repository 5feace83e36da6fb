/** Payments at the simulated vPOS: what is sent, what the bank refuses, and what an answer that says nothing leaves. */
import { beforeEach, describe, expect, test } from 'vitest'
import { refusalIn, unreadableIn } from '../../accounts/refusal.ts'
import { RICH } from '../../testing/providers/ameria/bench.ts'
import { type AmeriaScene, setAmeriaScene } from '../../testing/providers/ameria/scene.ts'
import { EMPTY_CARD, GOOD_CARD } from '../../testing/providers/rbs/cards.ts'
import { actAsBuyer } from '../../testing/providers/rbs/server.ts'
import { closeAfter } from '../../testing/scene.ts'
import type { OrderQuestion } from '../driver/order.ts'
import { ameriaDriver } from './driver.ts'
import { AmeriaSettings, modeOf, numbersOf } from './settings.ts'

const MINUTE_MS = 60_000
const scene = closeAfter(await setAmeriaScene(RICH))
beforeEach(() => scene.proxy.rewrite(null))

const start = (changes: Parameters<AmeriaScene['attempt']>[0] = {}, on = scene) => {
  const given = on.attempt(changes)
  const run = () => on.call((call) => ameriaDriver.startCheckout?.(call, given))
  return { given, run }
}
const outcomeOf = (run: () => Promise<unknown>) => run().catch((error: unknown) => error)
const lookUp = (order: OrderQuestion, on = scene) => on.call((call) => ameriaDriver.lookUp?.(call, order))

async function opened(changes: Parameters<AmeriaScene['attempt']>[0] = {}) {
  const { given, run } = start(changes)
  const page = await run()
  if (page?.kind !== 'redirect') throw new Error(`the checkout is ${page?.kind}`)
  return { given, url: page.url, order: { reference: given.reference, state: page.state ?? null } }
}

describe('what is sent', () => {
  test.each([
    ['AMD', '051', 1, '0.01'],
    ['AMD', '051', 190_000, '1900.00'],
    ['AMD', '051', 190_050, '1900.50'],
    ['USD', '840', 1_999, '19.99'],
    ['EUR', '978', 999_999_999_999, '9999999999.99'],
  ] as const)(
    '%s has the number %s, and %i minor units are %s',
    async (currency, number, amountMinor, text) => {
      const { given, order, url } = await opened({ currency, amountMinor })
      const sent = {
        Currency: number,
        Amount: text,
        OrderID: Number(given.reference),
        Opaque: given.paymentReference,
      }
      expect(scene.sent('InitPayment')).toMatchObject(sent)
      await actAsBuyer(url, GOOD_CARD)
      expect(await scene.look(order)).toMatchObject({ currency, amountMinor, capturedMinor: amountMinor })
    },
  )

  test.each([
    ['hy', 'am'],
    ['ru', 'ru'],
    ['en', 'en'],
    [null, null],
  ] as const)('a buyer who reads %s gets the page in %s', async (language, lang) => {
    const { url } = await opened({ language })
    expect(new URL(url).searchParams.get('lang')).toBe(lang)
  })

  test('a page lives no longer than its payment, nor than the bank allows', async () => {
    await opened({ expiresAt: new Date(scene.simulator.now().getTime() + 300_000) })
    expect(Number(scene.sent('InitPayment').Timeout)).toBeLessThanOrEqual(300)
    await opened()
    expect(scene.sent('InitPayment').Timeout).toBe(1_200)
  })

  test('a payment that is asked about with money leaves the ClientID out', async () => {
    const order = await scene.paid()
    expect(order.before.capturedMinor).toBe(1_900)
    expect(scene.sent('GetPaymentDetails')).not.toHaveProperty('ClientID')
  })
})

describe('order numbers', () => {
  const settings = (first: number, last?: number) =>
    AmeriaSettings.parse({
      ...scene.simulator.settings(scene.simulator.origin, { credentials: 'right', steps: 'one' }),
      FIRST_NUMBER: first,
      LAST_NUMBER: last,
    })

  test('are those of the range', () => {
    expect(numbersOf(settings(2_000_001, 2_000_003))).toEqual({ first: 2_000_001, last: 2_000_003 })
    expect(numbersOf(settings(1))).toEqual({ first: 1, last: 2_147_483_647 })
    expect(() => settings(5, 4)).toThrow('FIRST_NUMBER')
  })

  test('that the bank has not allotted are refused, and one that was used is a problem of the account', async () => {
    expect(await start({ reference: '1999999' }).run()).toMatchObject({ kind: 'refused', refusal: 'request' })
    const { given, url } = await opened()
    await actAsBuyer(url, GOOD_CARD)
    const again = await start({ reference: given.reference }).run()
    expect(again).toMatchObject({
      kind: 'refused',
      refusal: 'account',
      message: expect.stringContaining('FIRST_NUMBER'),
    })
  })

  test('of a payment of somebody else never make ours paid', async () => {
    const { given, url } = await opened({ paymentReference: 'another-payment' })
    await actAsBuyer(url, GOOD_CARD)
    const { reference } = given
    const question = (order: OrderQuestion) => outcomeOf(() => lookUp(order))
    expect(unreadableIn(await question({ reference, state: null, paymentReference: 'ours' }))).toBe(true)
    const state = { id: scene.bank.find(reference)?.id, opaque: 'ours' }
    expect(unreadableIn(await question({ reference, state }))).toBe(true)
    const later = new Date(scene.simulator.now().getTime() + 3 * 24 * 60 * MINUTE_MS)
    const old = { reference, state: null, opened: { after: later, before: later } }
    expect(unreadableIn(await question(old))).toBe(true)
    expect(await question({ reference, state: null, paymentReference: 'another-payment' })).toMatchObject({
      kind: 'found',
      snapshot: { capturedMinor: 1_900 },
    })
  })

  test('of an older payment are told apart by its time, an hour either way', async () => {
    const { given, url } = await opened()
    await actAsBuyer(url, GOOD_CARD)
    const at = (minutes: number) => new Date(scene.simulator.now().getTime() + minutes * MINUTE_MS)
    const question = (after: Date) =>
      outcomeOf(() => lookUp({ reference: given.reference, state: null, opened: { after, before: after } }))
    expect(await question(at(50))).toMatchObject({ kind: 'found' })
    expect(unreadableIn(await question(at(70)))).toBe(true)
  })

  test('whose opening brought no answer are over with their page', async () => {
    const { given } = await opened()
    const now = scene.simulator.now()
    const { reference, paymentReference } = given
    const order = { reference, paymentReference, state: null, opened: { after: now, before: now } }
    const known = await lookUp(order)
    expect(known).toMatchObject({ kind: 'unpaid', order: 'waiting', opened: { kind: 'redirect' } })
    await scene.simulator.advance(26 * MINUTE_MS)
    expect(await lookUp(order)).toMatchObject({ kind: 'unpaid', order: 'expired' })
    const { state } = known as { state?: unknown }
    expect(await lookUp({ reference, state })).toMatchObject({ kind: 'unpaid', order: 'expired' })
  })

  test('are integers: any other text is asked for at nobody', async () => {
    const before = scene.vpos.requests.length
    for (const reference of ['', 'a', '1e3', '-1', '12345678901'])
      expect(await lookUp({ reference, state: null })).toEqual({ kind: 'not_found' })
    expect(scene.vpos.requests.length).toBe(before)
  })
})

describe('a payment that nobody has tried', () => {
  test('is not shown by the bank, and waits until its page is over', async () => {
    for (let times = 0; times < 10; times++) {
      const { order } = await opened()
      expect(await lookUp(order)).toMatchObject({ kind: 'unpaid', order: 'waiting' })
    }
    const { order } = await opened()
    await scene.simulator.advance(26 * MINUTE_MS)
    expect(await lookUp(order)).toMatchObject({ kind: 'unpaid', order: 'expired' })
  })

  test('has one page, however often its answers are lost', async () => {
    const { given, run } = start()
    scene.proxy.spoilNext('lost', (_method, path) => path.endsWith('InitPayment'))
    await outcomeOf(run)
    const order = { reference: given.reference, state: null, paymentReference: given.paymentReference }
    const [one, two] = [await lookUp(order), await lookUp(order)]
    if (one?.kind !== 'unpaid' || one.opened?.kind !== 'redirect') throw new Error('no page')
    expect(two).toMatchObject({ opened: { url: one.opened.url } })
    await actAsBuyer(one.opened.url, GOOD_CARD)
    expect(await lookUp({ ...order, state: one.state })).toMatchObject({ snapshot: { capturedMinor: 1_900 } })
    expect(await scene.simulator.books(given.reference)).toMatchObject({ orders: 1 })
  })

  test('stays what it is where the bank does not know its number, and one that was paid is lost', async () => {
    const { given, order } = await opened()
    await scene.simulator.forget(given.reference)
    scene.vpos.failNext('GetPaymentDetails', 'fault')
    expect(await lookUp(order)).toMatchObject({ kind: 'unpaid', order: 'waiting' })
    expect(await lookUp({ reference: given.reference, state: null })).toEqual({ kind: 'not_found' })
    const paid = await scene.paid()
    await scene.simulator.forget(paid.reference)
    expect(await lookUp(paid)).toMatchObject({ kind: 'unavailable', isLost: true })
  })

  test('of which the bank fails later is not called untried', async () => {
    const order = await scene.paid()
    for (const code of ['fault', '550']) {
      scene.vpos.failNext('GetPaymentDetails', code)
      expect(await outcomeOf(() => lookUp(order))).toBeInstanceOf(Error)
    }
    expect(await lookUp(order)).toMatchObject({ snapshot: { capturedMinor: 1_900 } })
  })

  test('is not confused with a wrong password, which the bank answers in the same way', async () => {
    const { order } = await opened()
    const outcome = await outcomeOf(() =>
      scene.call((call) => ameriaDriver.lookUp?.(call, order), { credentials: 'wrong' }),
    )
    expect(refusalIn(outcome)?.refusal).toBe('credentials')
  })
})

describe('what the bank answers', () => {
  test.each([
    ['03', 'refused', 'request'],
    ['04', 'refused', 'request'],
    ['05', 'refused', 'request'],
    ['510', 'refused', 'request'],
    ['30', 'refused', 'request'],
    ['50', 'refused', 'amount'],
    ['01', 'refused', 'account'],
    ['08204', 'refused', 'account'],
    ['500', 'unknown', undefined],
    ['550', 'unknown', undefined],
    ['520', 'unknown', undefined],
    ['00', 'unknown', undefined],
    ['777', 'unknown', undefined],
    ['fault', 'unknown', undefined],
  ])('an opening that gets code %s is %s', async (code, kind, refusal) => {
    scene.vpos.failNext('InitPayment', code)
    const result = await start().run()
    expect([result?.kind, (result as { refusal?: string }).refusal]).toEqual([kind, refusal])
  })

  test('in test mode another amount than 10 drams is refused, and the message says so', async () => {
    const bank = await setAmeriaScene({ isTestMode: true })
    const refused = { kind: 'refused', refusal: 'amount', message: expect.stringContaining('10 drams') }
    for (const changes of [{ amountMinor: 1_001 }, { amountMinor: 1_000, currency: 'USD' as const }])
      expect(await start(changes, bank).run()).toMatchObject(refused)
    expect(await start({ amountMinor: 1_000 }, bank).run()).toMatchObject({ kind: 'redirect' })
    await bank.close()
  })

  test('a page in HTML, and an outage of another server, are no answers', async () => {
    const order = await scene.paid()
    scene.vpos.overload(1)
    expect(unreadableIn(await outcomeOf(() => lookUp(order)))).toBe(true)
    for (const body of ['<h1>Error</h1>', '{}', '{"Message":"x","ResponseCode":"00"}']) {
      scene.proxy.answerWith({ status: 500, body })
      expect(await outcomeOf(() => lookUp(order))).toBeInstanceOf(Error)
    }
    scene.proxy.answerWith(null)
  })

  test('two words of one answer that contradict each other are not believed', async () => {
    const order = await scene.paid()
    scene.proxy.rewrite((text) => text.replace('payment_deposited', 'payment_void'))
    expect(unreadableIn(await outcomeOf(() => lookUp(order)))).toBe(true)
  })

  test.each([
    ['a status of no table', '"OrderStatus":"2"', '"OrderStatus":"9"'],
    ['a currency of no table', '"Currency":"051"', '"Currency":"643"'],
    ['an amount with a part of a luma', '"Amount":19.0', '"Amount":19.001'],
    ['more refunded than taken', '"RefundedAmount":0.0', '"RefundedAmount":190.0'],
    ['another order number', '"OrderID":"', '"OrderID":"1'],
  ])('%s never means that a payment is paid', async (_name, text, instead) => {
    const order = await scene.paid()
    scene.proxy.rewrite((body) =>
      body.replace('"PaymentState":"payment_deposited",', '').replace(text, instead),
    )
    const answer = await outcomeOf(() => lookUp(order))
    if (answer instanceof Error) return
    expect(answer).toMatchObject({ kind: 'found', snapshot: { order: 'unclear' } })
  })

  test('the id of a payment is the same in capital and in small letters', async () => {
    const order = await scene.paid()
    expect(order.state).toMatchObject({ id: scene.bank.find(order.reference)?.id })
  })
})

describe('the life of a payment', () => {
  test('a buyer tries again with another card, and the return of the browser has no signature', async () => {
    const { url, order } = await opened()
    expect(await actAsBuyer(url, EMPTY_CARD)).toBeNull()
    expect(await scene.look(order)).toMatchObject({
      order: 'reached',
      detail: expect.stringContaining('116'),
    })
    expect(await actAsBuyer(url, GOOD_CARD)).toMatch(/orderID=\d+&resposneCode=00&paymentID=/)
    expect(await scene.look(order)).toMatchObject({ order: 'completed', capturedMinor: 1_900 })
  })

  test('after the last try it is declined, with the reason', async () => {
    const { url, order } = await opened()
    for (let tries = 0; tries < 3; tries++) await actAsBuyer(url, EMPTY_CARD)
    expect(await scene.look(order)).toMatchObject({ order: 'declined', decline: 'soft', capturedMinor: 0 })
  })

  test('a part that is refunded leaves the sums right, and Armenian letters do no harm', async () => {
    const order = await scene.paid({}, { description: 'Լեռնային թեյ' })
    await scene.call((call) =>
      ameriaDriver.refund?.(call, { ...order, key: 'a', amountMinor: 700, currency: 'AMD', reason: null }),
    )
    expect(await scene.look(order)).toMatchObject({
      capturedMinor: 1_900,
      refundedMinor: 700,
      order: 'completed',
    })
  })
})

test.each([
  ['https://servicestest.ameriabank.am/VPOS/', 'test'],
  ['https://services.ameriabank.am/VPOS/', 'live'],
  ['https://vpos.example/VPOS/', 'untellable'],
] as const)('the address %s moves %s money', (address, mode) => {
  const settings = scene.simulator.settings(scene.simulator.origin, { credentials: 'right', steps: 'one' })
  expect(modeOf({ ...settings, ADDRESS: address })).toBe(mode)
})
