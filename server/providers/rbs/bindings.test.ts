/** Saved cards at the simulated gateway: how a charge is read, and what its answers may never leave in a log. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { refusalIn } from '../../accounts/refusal.ts'
import { BINDING_LOGIN, LOGIN } from '../../testing/providers/rbs/gateway.ts'
import { type RbsScene, setRbsScene } from '../../testing/providers/rbs/scene.ts'
import { sumsOf } from '../../testing/providers/rbs/server.ts'
import type { ProviderOrder } from '../driver.ts'
import { redactBody } from '../http/redact.ts'
import { rbsDriver } from './driver.ts'

let scene: RbsScene
beforeAll(async () => {
  scene = await setRbsScene()
})
afterAll(() => scene.close())
beforeEach(() => scene.proxy.rewrite(null))

async function charge(token: ProviderOrder) {
  const given = scene.attempt()
  const result = await scene
    .call((call) => rbsDriver.chargeToken?.(call, { ...given, token }))
    .catch((error: unknown) => error)
  return { given, result: result as { kind?: string } }
}

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
    expect(result.kind ?? 'threw').toMatch(/^(done|unknown)$/)
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
      scene.proxy.spoilNext(fault, (_method, path) => path.endsWith('paymentOrderBinding.do'))
      const { given, result } = await charge(token)
      expect(result).toMatchObject({ kind: 'unknown', state: { isCharge: true, steps: 'one' } })
      const order = { reference: given.reference, state: (result as { state?: unknown }).state }
      // Nobody has the page of the order, so a card that was refused ends it with tries left.
      expect(await scene.look(order)).toMatchObject({ order: 'declined' })
    },
  )

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
