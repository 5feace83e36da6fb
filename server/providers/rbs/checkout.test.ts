/** Orders at the simulated gateway: what is sent, what the gateway refuses, and what a lost or unreadable answer leaves. */
import { describe, expect, test } from 'vitest'
import { refusalIn, unreadableIn } from '../../accounts/refusal.ts'
import { EMPTY_CARD, GOOD_CARD } from '../../testing/providers/rbs/cards.ts'
import { type RbsScene, setRbsScene } from '../../testing/providers/rbs/scene.ts'
import { actAsBuyer } from '../../testing/providers/rbs/server.ts'
import { closeAfter } from '../../testing/scene.ts'
import { plainText } from '../arca/order.ts'
import type { OpenedBetween } from '../driver.ts'
import { wasNothingSent } from '../http.ts'
import { knownOf } from './checkout.ts'
import { rbsDriver } from './driver.ts'
import type { RbsCall } from './request.ts'
import { pageOfBank } from './settings.ts'

const scene = closeAfter(await setRbsScene())

const start = (changes: Parameters<RbsScene['attempt']>[0] = {}) => {
  const given = scene.attempt(changes)
  const run = () => scene.call((call) => rbsDriver.startCheckout?.(call, given))
  return { given, run }
}
const outcomeOf = (run: () => Promise<unknown>) => run().catch((error: unknown) => error)

describe('what is sent', () => {
  test.each([
    ['AMD', '051', 1, '1'],
    ['AMD', '051', 190_000, '190000'],
    ['AMD', '051', 190_001, '190001'],
    ['USD', '840', 1_999, '1999'],
    ['EUR', '978', 999_999_999_999, '999999999999'],
  ] as const)(
    '%s has the number %s, and %i minor units are %s',
    async (currency, number, amountMinor, text) => {
      await start({ currency, amountMinor }).run()
      expect(scene.sent('register.do')).toMatchObject({ currency: number, amount: text })
    },
  )

  test('the description fits what the processor takes, without what it forbids', async () => {
    const { given, run } = start({ description: `50% off + more\r\n${'чай 🫖 '.repeat(60)}` })
    expect(await run()).toMatchObject({ kind: 'redirect' })
    const { description = '', orderNumber = '' } = scene.sent('register.do')
    expect(description).toMatch(/^order-7 50 off more чай/)
    expect(orderNumber).toBe(given.reference)
    expect(description.length + orderNumber.length).toBeLessThanOrEqual(99)
    expect(plainText('🫖🫖🫖', 3)).toBe('🫖')
  })

  test('a session lives no longer than its payment, nor than the gateway allows', async () => {
    const in5 = new Date(scene.simulator.now().getTime() + 300_000)
    await start({ expiresAt: in5 }).run()
    expect(Number(scene.sent('register.do').sessionTimeoutSecs)).toBeLessThanOrEqual(300)
    await start().run()
    expect(scene.sent('register.do').sessionTimeoutSecs).toBe('1200')
  })

  test('two steps are registered by their own method', async () => {
    const given = scene.attempt()
    await scene.open(given, { steps: 'two' })
    expect(scene.sent('registerPreAuth.do').orderNumber).toBe(given.reference)
  })
})

describe('what the gateway answers', () => {
  test('a number that is used opens nothing, and its address is told to nobody', async () => {
    const { given, run } = start()
    expect(await run()).toMatchObject({ kind: 'redirect' })
    const again = await run()
    expect(again).toEqual({ kind: 'unknown', message: expect.stringContaining('number') })
    expect(scene.bank.find(given.reference)?.status).toBe(0)
    const found = await scene.call((call) =>
      rbsDriver.lookUp?.(call, { reference: given.reference, state: null }),
    )
    expect(found).toMatchObject({ kind: 'found', snapshot: { order: 'waiting' } })
    expect(found).not.toHaveProperty('opened')
  })

  test('a currency that this login does not have is refused, and so is a wrong value, for this order alone', async () => {
    scene.server.shop.currencies = ['051']
    expect(await start({ currency: 'USD' }).run()).toMatchObject({ kind: 'refused', refusal: 'request' })
    scene.server.shop.currencies = ['051', '840', '978']
    scene.server.failNext('register.do', 5)
    const refused = await start().run()
    expect(refused).toMatchObject({
      kind: 'refused',
      refusal: 'request',
      message: expect.stringContaining('code 5'),
    })
    expect(await start().run()).toMatchObject({ kind: 'redirect' })
  })

  test('a password that has to be changed is about the login, at every call', async () => {
    const order = await scene.paid()
    scene.server.shop.logins.main.mustChange = true
    const calls = [
      start().run,
      () => scene.call((call) => rbsDriver.lookUp?.(call, order)),
      () =>
        scene.call((call) =>
          rbsDriver.refund?.(call, { ...order, key: 'a', amountMinor: 700, currency: 'AMD', reason: null }),
        ),
    ]
    for (const run of calls) expect(refusalIn(await outcomeOf(run))?.refusal).toBe('credentials')
    const found = await scene.call((call) =>
      rbsDriver.check?.(call, { callbackUrl: 'https://kassa.example/callbacks/x' }),
    )
    expect(found).toEqual([
      { state: 'problem', refusal: 'credentials', message: expect.stringContaining('change every password') },
    ])
    scene.server.shop.logins.main.mustChange = false
  })

  test('a page in HTML is no answer: an opening is unknown, and a question says that nobody can read it', async () => {
    scene.server.overload(1)
    const opening = await outcomeOf(start().run)
    expect([unreadableIn(opening), wasNothingSent(opening)]).toEqual([true, false])
    const order = await scene.paid()
    scene.server.overload(1)
    expect(unreadableIn(await outcomeOf(() => scene.call((call) => rbsDriver.lookUp?.(call, order))))).toBe(
      true,
    )
  })

  test('a system error at an opening leaves it unknown', async () => {
    scene.server.failNext('register.do', 7)
    expect(await start().run()).toMatchObject({ kind: 'unknown' })
  })

  test('an address on another host is shown to no buyer', async () => {
    scene.proxy.rewrite((text) => text.replace('http://127.0.0.1', 'http://elsewhere.example'))
    const answer = await start().run()
    scene.proxy.rewrite(null)
    expect(answer).toMatchObject({
      kind: 'refused',
      refusal: 'account',
      message: expect.stringContaining('ADDRESS'),
    })
  })

  test.each([
    ['http://bank.example/pay?mdOrder=1', 'https://bank.example/pay?mdOrder=1'],
    ['http://bank.example:80/pay', 'https://bank.example/pay'],
    ['https://bank.example:8445/pay', 'https://bank.example:8445/pay'],
    ['http://elsewhere.example/pay', null],
    ['http://bank.example.evil.example/pay', null],
    ['http://user@bank.example/pay', null],
    ['javascript:alert(1)', null],
    ['ftp://bank.example/pay', null],
  ])('the page %s of a bank at https is %s for the buyer', (url, page) => {
    const { settings } = scene.simulator
    const own = settings(scene.server.origin, { credentials: 'right', steps: 'one' })
    expect(pageOfBank({ ...own, ADDRESS: 'https://bank.example/payment/rest/' }, url)).toBe(page)
  })

  test('an answer about another order is not believed', async () => {
    const { given, run } = start()
    await run()
    scene.proxy.rewrite((text) => text.replace(given.reference, 'somebody-elses'))
    const outcome = await outcomeOf(() =>
      scene.call((call) => rbsDriver.lookUp?.(call, { reference: given.reference, state: null })),
    )
    scene.proxy.rewrite(null)
    expect(unreadableIn(outcome)).toBe(true)
  })
})

describe('the life of an order', () => {
  test('whose registration brought no answer: its time is counted from when it was planned', () => {
    const after = new Date(scene.simulator.now().getTime() - 20 * 60_000)
    const isFinal = (opened: OpenedBetween) => {
      const settings = scene.simulator.settings(scene.server.origin, { credentials: 'right', steps: 'one' })
      const call = { settings: { ...settings, GATEWAY: 'other' }, now: scene.simulator.now }
      return knownOf(call as RbsCall, { state: null, opened }).isFinal
    }
    expect(isFinal({ after, before: scene.simulator.now() })).toBe(true)
    expect(isFinal({ after: new Date(after.getTime() + 1_000), before: scene.simulator.now() })).toBe(false)
  })

  test('a buyer tries again with another card', async () => {
    const given = scene.attempt()
    const opened = await scene.open(given)
    const order = { reference: given.reference, state: opened.state ?? null }
    const url = opened.kind === 'redirect' ? opened.url : ''
    expect(await actAsBuyer(url, EMPTY_CARD)).toBeNull()
    expect(await scene.look(order)).toMatchObject({
      order: 'reached',
      detail: expect.stringContaining('116'),
    })
    expect(await actAsBuyer(url, GOOD_CARD)).toMatch(/^https:\/\/kassa\.example\/return\?orderId=.+&lang=ru$/)
    expect(await scene.look(order)).toMatchObject({ order: 'completed', capturedMinor: 1_900 })
  })

  test('after the last try the order is declined, and stays so', async () => {
    const given = scene.attempt()
    const opened = await scene.open(given)
    const url = opened.kind === 'redirect' ? opened.url : ''
    for (let tries = 0; tries < 3; tries++) await actAsBuyer(url, EMPTY_CARD)
    await actAsBuyer(url, GOOD_CARD)
    const order = { reference: given.reference, state: opened.state ?? null }
    expect(await scene.look(order)).toMatchObject({ order: 'declined', capturedMinor: 0 })
  })

  test('nobody pays within 20 minutes, and a person of the bank changes the order days later', async () => {
    const given = scene.attempt()
    const opened = await scene.open(given)
    const order = { reference: given.reference, state: opened.state ?? null }
    await scene.simulator.advance(20 * 60_000)
    expect(await scene.look(order)).toMatchObject({ order: 'expired' })
    scene.bank.changeByHand(given.reference, 'paid')
    expect(await scene.look(order)).toMatchObject({ order: 'completed', capturedMinor: 1_900 })
  })
})
