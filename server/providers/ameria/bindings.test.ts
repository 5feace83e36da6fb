/** Saved cards at the simulated vPOS: how a saving and a charge are read. */
import { describe, expect, test } from 'vitest'
import { refusalIn, unreadableIn } from '../../accounts/refusal.ts'
import { setAmeriaScene } from '../../testing/providers/ameria/scene.ts'
import { actAsBuyer, sumsOf } from '../../testing/providers/rbs/server.ts'
import { closeAfter } from '../../testing/scene.ts'
import type { ProviderOrder } from '../driver.ts'
import { wasNothingSent } from '../http.ts'
import { ameriaDriver } from './driver.ts'
import { AmeriaSettings } from './settings.ts'

const scene = closeAfter(await setAmeriaScene())

async function charge(token: ProviderOrder) {
  const given = scene.attempt()
  const result = await scene
    .call((call) => ameriaDriver.chargeToken?.(call, { ...given, token }))
    .catch((error: unknown) => error)
  return { given, result }
}
const lookUpToken = (token: ProviderOrder & { paymentReference?: string }) =>
  scene.call((call) => ameriaDriver.lookUpToken?.(call, token))
const outcomeOf = (ask: () => Promise<unknown>) => ask().catch((error: unknown) => error)
const isOf = (name: string) => (_method: string, path: string) => path.endsWith(name)

describe('a charge', () => {
  test('is proven by the details of its payment, also where the answer names no payment', async () => {
    const token = await scene.savedMethod()
    const { given, result } = await charge(token)
    expect(result).toMatchObject({ kind: 'done', state: { isCharge: true } })
    const { holder } = token.state as { holder: string }
    const sent = { CardHolderID: holder, PaymentType: 6, OrderID: Number(given.reference), Amount: '19.00' }
    expect(scene.sent('MakeBindingPayment')).toMatchObject(sent)
    expect(sumsOf(scene.vpos, given.reference).capturedMinor).toBe(given.amountMinor)
  })

  test.each(['fault', '550', '560', '777', '01', '00', '0116'])(
    'that gets code %s, and of which the bank has no payment, is no decline',
    async (code) => {
      const token = await scene.savedMethod()
      scene.vpos.failNext('MakeBindingPayment', code)
      const { given, result } = await charge(token)
      expect(result).toMatchObject({ kind: 'unknown' })
      expect(scene.bank.find(given.reference)).toBeUndefined()
    },
  )

  test('whose answer is lost is not sent again, and found by its number', async () => {
    const token = await scene.savedMethod()
    scene.proxy.spoilNext('lost', isOf('MakeBindingPayment'))
    const { given, result } = await charge(token)
    expect(wasNothingSent(result)).toBe(false)
    expect(await scene.look({ reference: given.reference, state: null })).toMatchObject({
      capturedMinor: 1_900,
    })
  })

  test('of a card without money is a soft decline, and of an expired one a hard one', async () => {
    const token = await scene.savedMethod('save_and_decline')
    const refused = { kind: 'refused', decline: 'soft', message: expect.stringContaining('116') }
    expect((await charge(token)).result).toMatchObject(refused)
    for (const binding of scene.bank.bindings) binding.card = '4000000000009101'
    expect((await charge(token)).result).toMatchObject({ kind: 'refused', decline: 'hard' })
  })

  test('that the buyer would have to confirm is declined, and took nothing', async () => {
    const token = await scene.savedMethod()
    scene.vpos.failNext('MakeBindingPayment', '00')
    scene.proxy.rewrite((text) =>
      text === '{"ResponseCode":"00","ResponseMessage":""}'
        ? '{"ResponseCode":"00","PaymentID":"c0ffee00-0000-4000-8000-00000000000a","AcsUrl":"https://acs.example"}'
        : text,
    )
    const { result } = await charge(token)
    scene.proxy.rewrite(null)
    expect(result).toMatchObject({
      kind: 'refused',
      decline: 'soft',
      message: expect.stringContaining('confirm'),
    })
  })

  test('is refused for all charges where the bank has not allowed saved cards', async () => {
    const token = await scene.savedMethod()
    scene.vpos.shop.lacks = new Set(['bindings'])
    const { result } = await charge(token)
    scene.vpos.shop.lacks = new Set()
    expect([refusalIn(result)?.refusal, wasNothingSent(result)]).toEqual(['rights', true])
  })
})

describe('a saving', () => {
  test('takes the price of the settings, keeps the card under a name of its own, and gives the money back', async () => {
    const [token, other] = [await scene.savedMethod(), await scene.savedMethod()]
    const holders = [token, other].map(({ state }) => (state as { holder?: string }).holder)
    expect(new Set(holders).size).toBe(2)
    const found = await lookUpToken(token)
    if (found?.kind !== 'found' || !found.money) throw new Error('no money')
    expect(found).toMatchObject({
      status: 'active',
      card: { brand: 'visa', last4: '1111', expiry: '2035-12' },
      money: { currency: 'AMD', heldMinor: 0, takenMinor: 1_000, returnedMinor: 0 },
    })
    const { money: before } = found
    const done = await scene.call((call) => ameriaDriver.finishSaving?.(call, { ...token, key: 'a', before }))
    expect(done).toEqual({ kind: 'done' })
    expect(sumsOf(scene.vpos, token.reference)).toMatchObject({ capturedMinor: 1_000, refundedMinor: 1_000 })
    expect(await lookUpToken(token)).toMatchObject({ status: 'active', money: { returnedMinor: 1_000 } })
  })

  test('of which people at the bank have returned a part gives back the rest', async () => {
    const token = await scene.savedMethod()
    const payment = scene.bank.find(token.reference)
    if (!payment) throw new Error('no payment')
    Object.assign(payment, { refunded: 400, status: 4 })
    const found = await lookUpToken(token)
    if (found?.kind !== 'found' || !found.money) throw new Error('no money')
    const { money: before } = found
    expect(before).toMatchObject({ takenMinor: 1_000, returnedMinor: 400 })
    const done = await scene.call((call) => ameriaDriver.finishSaving?.(call, { ...token, key: 'a', before }))
    expect(done).toEqual({ kind: 'done' })
    expect(scene.sent('RefundPayment')).toMatchObject({ Amount: '6.00' })
  })

  test('is opened again by the very same request, and gets the same page', async () => {
    const given = scene.attempt()
    const save = () => scene.call((call) => ameriaDriver.saveToken?.(call, given))
    const [one, first] = [await save(), scene.sent('InitPayment')]
    const two = await save()
    expect([two?.kind, scene.sent('InitPayment')]).toEqual(['redirect', first])
    if (one?.kind !== 'redirect' || two?.kind !== 'redirect') throw new Error('no page')
    expect(two.url).toBe(one.url)
  })

  test('that a buyer may have paid before a restore is not opened again, and no problem of the account', async () => {
    const given = scene.attempt()
    const save = (changes = {}) =>
      scene.call((call) => ameriaDriver.saveToken?.(call, { ...given, ...changes }))
    const opened = await save()
    if (opened?.kind !== 'redirect') throw new Error('no page')
    await scene.simulator.saver(opened, 'save')
    expect(await save({ mayBeHandedOut: true })).toMatchObject({ kind: 'unknown' })
    expect(await save()).toMatchObject({ kind: 'refused', refusal: 'account' })
    expect(await scene.simulator.books(given.reference)).toMatchObject({ orders: 1 })
  })

  test('after a restore never replaces a payment that the bank has with its number', async () => {
    const given = scene.attempt()
    await scene.call((call) => ameriaDriver.startCheckout?.(call, { ...given, paymentReference: 'lost' }))
    const save = () =>
      scene.call((call) => ameriaDriver.saveToken?.(call, { ...given, mayBeHandedOut: true }))
    expect(await save()).toMatchObject({ kind: 'unknown' })
    expect(scene.bank.find(given.reference)).toMatchObject({ opaque: 'lost', minor: given.amountMinor })
  })

  test('waits some minutes for a card that the bank does not list yet', async () => {
    const given = scene.attempt()
    const opened = await scene.call((call) => ameriaDriver.saveToken?.(call, given))
    if (opened?.kind !== 'redirect') throw new Error('no page')
    await scene.simulator.saver(opened, 'save')
    const listed = scene.bank.bindings.splice(0)
    const token = { reference: given.reference, state: opened.state ?? null }
    expect(await lookUpToken(token)).toMatchObject({ status: 'pending', money: { takenMinor: 1_000 } })
    scene.bank.bindings.push(...listed)
    expect(await lookUpToken(token)).toMatchObject({ status: 'active' })
  })

  test('whose card is listed without saying whether it is kept cannot be read', async () => {
    const token = await scene.savedMethod()
    scene.proxy.rewrite((text) => text.replaceAll(/,"IsAvtive":true/g, ''))
    const answer = await outcomeOf(() => lookUpToken(token))
    scene.proxy.rewrite(null)
    expect(unreadableIn(answer)).toBe(true)
  })

  test('in dollars or euros takes an amount of its own', () => {
    const given = scene.simulator.settings(scene.simulator.origin, { credentials: 'right', steps: 'one' })
    const { SAVING_AMOUNT: _, ...rest } = { ...given, SAVING_CURRENCY: 'USD' }
    expect(() => AmeriaSettings.parse(rest)).toThrow('SAVING_AMOUNT')
    expect(AmeriaSettings.parse({ ...rest, SAVING_AMOUNT: 100 })).toMatchObject({ SAVING_AMOUNT: 100 })
  })

  test('whose answer was lost is found by its number, and its card by the name of the saving', async () => {
    const given = scene.attempt()
    scene.proxy.spoilNext('lost', isOf('InitPayment'))
    await scene.call((call) => ameriaDriver.saveToken?.(call, given)).catch(() => {})
    const { reference, paymentReference } = given
    const id = scene.bank.find(reference)?.id ?? ''
    await actAsBuyer(`${scene.simulator.origin}/VPOS/Payments/Pay?id=${id}`, '4111111111111111')
    const found = await lookUpToken({ reference, paymentReference, state: null })
    expect(found).toMatchObject({ kind: 'found', status: 'active', money: { takenMinor: 1_000 } })
    if (found?.kind !== 'found') return
    expect((await charge({ reference, state: found.state ?? null })).result).toMatchObject({ kind: 'done' })
  })

  test('whose page is left ends with it, and costs nothing', async () => {
    const given = scene.attempt()
    const opened = await scene.call((call) => ameriaDriver.saveToken?.(call, given))
    if (opened?.kind !== 'redirect') throw new Error('no page')
    const token = { reference: given.reference, state: opened.state ?? null }
    await scene.simulator.saver(opened, 'cancel')
    expect(await lookUpToken(token)).toMatchObject({ status: 'pending' })
    await scene.simulator.advance(26 * 60_000)
    expect(await lookUpToken(token)).toMatchObject({ status: 'expired' })
  })

  test('that the bank keeps no card of is over, and its money goes back', async () => {
    const given = scene.attempt()
    const opened = await scene.call((call) => ameriaDriver.saveToken?.(call, given))
    if (opened?.kind !== 'redirect') throw new Error('no page')
    await scene.simulator.saver(opened, 'save')
    scene.bank.bindings.splice(0)
    const token = { reference: given.reference, state: opened.state ?? null }
    await scene.simulator.advance(26 * 60_000)
    expect(await lookUpToken(token)).toMatchObject({ status: 'cancelled', money: { takenMinor: 1_000 } })
  })
})
