/** Saved cards at the simulated gateway: how a charge is read, and what its answers may never leave in a log. */
import { beforeEach, describe, expect, test } from 'vitest'
import { refusalIn } from '../../accounts/refusal.ts'
import { OTHER_BANK } from '../../testing/providers/rbs/bench.ts'
import { EMPTY_CARD } from '../../testing/providers/rbs/cards.ts'
import { BINDING_LOGIN, LOGIN } from '../../testing/providers/rbs/gateway.ts'
import { setRbsScene } from '../../testing/providers/rbs/scene.ts'
import { actAsBuyer, sumsOf } from '../../testing/providers/rbs/server.ts'
import { closeAfter } from '../../testing/scene.ts'
import type { ProviderOrder } from '../driver.ts'
import { redactBody } from '../http/redact.ts'
import { wasNothingSent } from '../http.ts'
import { rbsDriver } from './driver.ts'

const scene = closeAfter(await setRbsScene())
beforeEach(() => scene.proxy.rewrite(null))

async function charge(token: ProviderOrder, given = scene.attempt(), state: unknown = null) {
  const result = await scene
    .call((call) => rbsDriver.chargeToken?.(call, { ...given, token, state }))
    .catch((error: unknown) => error)
  return { given, result: result as { kind?: string }, kept: scene.kept.state }
}
const isOf = (name: string) => (_method: string, path: string) => path.endsWith(name)

/** The answer to a charge has `"success":0`. */
const charged = (instead: string) => scene.proxy.rewrite((text) => text.replace('"success":0', instead))

describe('a charge', () => {
  test('is made by the second login, and the order proves it', async () => {
    const token = await scene.savedMethod()
    const { given, result } = await charge(token)
    expect(result).toMatchObject({ kind: 'done', state: { isCharge: true, steps: 'one' } })
    expect(scene.sent('register.do')).toMatchObject({ userName: LOGIN.userName, clientId: token.reference })
    expect(scene.sent('paymentOrderBinding.do').userName).toBe(BINDING_LOGIN.userName)
    expect(sumsOf(scene.server, given.reference).capturedMinor).toBe(given.amountMinor)
  })

  test.each([
    ['the number 7, a system error', '"success":7'],
    ['the word false', '"success":false'],
    ['the word true', '"success":true'],
    ['a text', '"success":"0"'],
    ['nothing', '"other":0'],
  ])('of which the answer has %s as success is read by the order alone', async (_name, instead) => {
    const token = await scene.savedMethod()
    charged(instead)
    const { given, result } = await charge(token)
    scene.proxy.rewrite(null)
    // The simulated gateway has done it, whatever it says.
    expect(sumsOf(scene.server, given.reference).capturedMinor).toBe(given.amountMinor)
    if (result instanceof Error) expect(wasNothingSent(result)).toBe(false)
    else expect(result.kind).toMatch(/^(done|unknown)$/)
  })

  test.each([
    ['nobody knows after a system error', 7, 'unknown'],
    ['an order that the gateway does not know', 2, 'unknown'],
  ])('%s', async (_name, code, kind) => {
    const token = await scene.savedMethod()
    scene.server.failNext('paymentOrderBinding.do', code)
    const { given, result } = await charge(token)
    expect(result).toMatchObject({ kind })
    expect(await scene.look({ reference: given.reference, state: null })).toMatchObject({ order: 'waiting' })
  })

  test.each([{ fault: 'lost' }, { fault: 'half' }, { fault: 'error_500' }] as const)(
    'whose answer is lost ($fault) stays known as a charge in one step',
    async ({ fault }) => {
      const token = await scene.savedMethod('save_and_decline')
      scene.proxy.spoilNext(fault, isOf('paymentOrderBinding.do'))
      const { given, result, kept } = await charge(token)
      expect([result instanceof Error, wasNothingSent(result)]).toEqual([true, false])
      expect(kept).toMatchObject({ isCharge: true, steps: 'one' })
      const order = { reference: given.reference, state: kept }
      // Nobody has the page of the order, so a card that was refused ends it with tries left.
      expect(await scene.look(order)).toMatchObject({ order: 'declined' })
    },
  )

  test('that was registered and certainly not sent is sent by another process, for the order that was kept', async () => {
    const token = await scene.savedMethod()
    scene.stopping.isMeant = ({ url }) => url.endsWith('paymentOrderBinding.do')
    const { given, result, kept } = await charge(token)
    scene.stopping.isMeant = null
    expect(wasNothingSent(result)).toBe(true)
    const before = scene.count('register.do')
    expect((await charge(token, given, kept)).result).toMatchObject({ kind: 'done' })
    expect(scene.count('register.do')).toBe(before)
    expect(sumsOf(scene.server, given.reference).capturedMinor).toBe(given.amountMinor)
  })

  test('of which the answer to the registration was lost goes on where the bank tells the id of the order', async () => {
    for (const [shop, kind] of [
      [OTHER_BANK, 'done'],
      [{}, 'unknown'],
    ] as const) {
      const bank = await setRbsScene(shop)
      const token = await bank.savedMethod()
      const given = bank.attempt()
      const send = () => bank.call((call) => rbsDriver.chargeToken?.(call, { ...given, token }))
      bank.proxy.spoilNext('lost', isOf('register.do'))
      expect(wasNothingSent(await send().catch((error: unknown) => error))).toBe(true)
      expect(await send()).toMatchObject({ kind })
      const { capturedMinor } = sumsOf(bank.server, given.reference)
      expect(capturedMinor).toBe(kind === 'done' ? given.amountMinor : 0)
      await bank.close()
    }
  })

  test('needs no page, so that its address does not matter', async () => {
    const token = await scene.savedMethod()
    scene.proxy.rewrite((text) => text.replace('http://127.0.0.1', 'http://elsewhere.example'))
    expect((await charge(token)).result).toMatchObject({ kind: 'done' })
  })

  test('is refused for all charges while the password of the second login has to be changed', async () => {
    const token = await scene.savedMethod()
    scene.server.shop.logins.binding.mustChange = true
    const { result } = await charge(token)
    scene.server.shop.logins.binding.mustChange = false
    expect(refusalIn(result)?.refusal).toBe('rights')
  })

  test('of a card without money is a soft decline, and of an expired card a hard one', async () => {
    const token = await scene.savedMethod('save_and_decline')
    const soft = await charge(token)
    expect(soft.result).toMatchObject({
      kind: 'refused',
      decline: 'soft',
      message: expect.stringContaining('116'),
    })
    const { binding } = token.state as { binding: string }
    const saved = scene.bank.bindings.get(binding)
    if (saved) saved.card = '4000000000009101'
    const hard = await charge(token)
    expect(hard.result).toMatchObject({ kind: 'refused', decline: 'hard' })
    const order = { reference: hard.given.reference, state: (hard.result as { state?: unknown }).state }
    expect(await scene.look(order)).toMatchObject({ order: 'declined', decline: 'hard' })
  })

  test('leaves no password in the log, although the answer has one in an address', async () => {
    const before = scene.exchanges.length
    await charge(await scene.savedMethod())
    const secrets = [LOGIN.password, BINDING_LOGIN.password]
    const kept = scene.exchanges
      .slice(before)
      .map(({ requestBody, responseBody }) => `${requestBody} ${redactBody(responseBody ?? '', secrets)}`)
      .join('\n')
    expect(kept).toContain('finish.html')
    for (const secret of secrets)
      for (const form of [secret, encodeURIComponent(secret)]) expect(kept).not.toContain(form)
  })
})

describe('a saving', () => {
  const lookUpToken = (token: ProviderOrder) => scene.call((call) => rbsDriver.lookUpToken?.(call, token))

  test('takes the price of the settings, and gives it back', async () => {
    const token = await scene.savedMethod()
    const found = await lookUpToken(token)
    if (found?.kind !== 'found' || !found.money) throw new Error('no money')
    expect(found).toMatchObject({
      status: 'active',
      card: { brand: 'visa', last4: '1111', expiry: '2035-12' },
      money: { currency: 'AMD', heldMinor: 0, takenMinor: 1_000, returnedMinor: 0 },
    })
    const { money: before } = found
    const done = await scene.call((call) => rbsDriver.finishSaving?.(call, { ...token, key: 'a', before }))
    expect(done).toEqual({ kind: 'done' })
    expect(sumsOf(scene.server, token.reference)).toMatchObject({
      capturedMinor: 1_000,
      refundedMinor: 1_000,
    })
    expect(await lookUpToken(token)).toMatchObject({ status: 'active', money: { returnedMinor: 1_000 } })
  })

  test('whose page is left ends with its session, and costs nothing', async () => {
    const given = scene.attempt()
    const opened = await scene.call((call) => rbsDriver.saveToken?.(call, given))
    if (opened?.kind !== 'redirect') throw new Error('no page')
    const token = { reference: given.reference, state: opened.state ?? null }
    await scene.simulator.saver(opened, 'cancel')
    expect(await lookUpToken(token)).toMatchObject({ status: 'pending' })
    await scene.simulator.advance(20 * 60_000)
    expect(await lookUpToken(token)).toMatchObject({ status: 'expired' })
  })

  const save = (given: ReturnType<typeof scene.attempt>, changes = {}) =>
    scene.call((call) => rbsDriver.saveToken?.(call, { ...given, ...changes }))
  const ordersOf = (reference: string) =>
    [...scene.bank.orders.values()]
      .filter(({ clientId }) => clientId === reference)
      .map(({ number }) => number)

  test('whose page was lost gets another order, because nobody can come to the first', async () => {
    const given = scene.attempt()
    await save(given)
    expect(await save(given)).toMatchObject({ kind: 'redirect', state: { number: `${given.reference}-2` } })
  })

  test('whose page may have been handed out before a restore gets no second order until that one is over', async () => {
    const given = scene.attempt()
    await save(given)
    const again = () => save(given, { mayBeHandedOut: true })
    expect(await again()).toMatchObject({ kind: 'unknown' })
    await scene.simulator.advance(20 * 60_000)
    expect(await again()).toMatchObject({ kind: 'redirect' })
    expect(ordersOf(given.reference)).toEqual([given.reference, `${given.reference}-2`])
  })

  test.each([{}, { mayBeHandedOut: true as const }])(
    'that was paid under its number gets no second order (%o)',
    async (changes) => {
      const given = scene.attempt()
      const opened = await save(given)
      if (opened?.kind !== 'redirect') throw new Error('no page')
      await scene.simulator.saver(opened, 'save')
      await scene.simulator.advance(20 * 60_000)
      expect(await save(given, changes)).toMatchObject({ kind: 'unknown' })
      expect(ordersOf(given.reference)).toEqual([given.reference])
      expect(await lookUpToken({ reference: given.reference, state: null })).toMatchObject({
        status: 'active',
        money: { takenMinor: 1_000 },
      })
    },
  )

  test('at another bank is not over while a buyer whose card was refused may try again', async () => {
    const other = await setRbsScene({ ...OTHER_BANK, tries: 1 })
    const given = other.attempt()
    const send = () => other.call((call) => rbsDriver.saveToken?.(call, { ...given, mayBeHandedOut: true }))
    const opened = await send()
    await actAsBuyer(opened?.kind === 'redirect' ? opened.url : '', EMPTY_CARD)
    expect(await send()).toMatchObject({ kind: 'unknown' })
    await other.simulator.advance(20 * 60_000)
    expect(await send()).toMatchObject({ kind: 'redirect' })
    await other.close()
  })

  test('that the bank keeps no card of is over, and its money goes back', async () => {
    const given = scene.attempt()
    const opened = await scene.call((call) => rbsDriver.saveToken?.(call, given))
    if (opened?.kind !== 'redirect') throw new Error('no page')
    await scene.simulator.saver(opened, 'save')
    scene.bank.bindings.clear()
    const token = { reference: given.reference, state: opened.state ?? null }
    expect(await lookUpToken(token)).toMatchObject({ status: 'cancelled', money: { takenMinor: 1_000 } })
  })
})
