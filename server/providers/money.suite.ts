/**
 * The second half of the conformance suite: a whole Kassa goes on where a response was lost or a process was killed. For every call
 * that moves money, the money moves once, and its outcome is known.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askProviderAboutMethod } from '../payments/saved-methods/ask.ts'
import { findSavedMethod } from '../storage/saved-methods/saved-methods.ts'
import { createToken, revokeToken } from '../testing/payments/subscriptions.ts'
import { type StartKilled, startKilledKassa } from '../testing/processes/crashing-kassa.ts'
import { type DriverBench, MONEY_CALLS, type MoneyCall } from '../testing/providers/driver-bench.ts'
import {
  DONE,
  LEFT,
  type MoneyScene,
  type Piece,
  PREPARE,
  setMoneyScene,
} from '../testing/providers/money-scene.ts'
import { SWEEPS } from '../worker/sweeps.ts'

/** `lost`: the provider acts, and the process dies without its response. `not_reached`: it dies before the provider has the request. */
const MOMENTS = ['lost', 'not_reached'] as const
const A_LEASE_MS = 100_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** `start`: how the Kassa runs that is killed. The long tests kill a real process. */
export function describeMoney<Settings>(
  name: string,
  bench: DriverBench<Settings>,
  start: StartKilled = startKilledKassa,
): void {
  const { driver } = bench
  const calls = MONEY_CALLS.filter((call) => driver[call] !== undefined)

  describe(`${name} in a whole Kassa`, () => {
    let scene: MoneyScene
    let killed: Killed
    beforeAll(async () => {
      scene = await setMoneyScene(name, bench as DriverBench<unknown>)
      // This comes first, because the clock of the killed process cannot be moved.
      killed = await killAtRequests(scene, calls, start)
      for (let times = 0; times < 4; times++) await scene.later(A_LEASE_MS)
    })
    afterAll(() => scene.close())

    test.each(calls)(
      '%s: a killed process is followed by another one, and the money moves once',
      async (call) => {
        const left = isKeyedCall(scene, call) ? undefined : LEFT[call]
        // After OPERATION_REVIEW_AFTER a person has to decide about a request that is not sent again.
        if (left) for (let times = 0; times < 4; times++) await scene.later(A_LEASE_MS)
        const outcomes = []
        for (const piece of killed.pieces[call] ?? []) outcomes.push(await outcomeOf(scene, piece, call))
        const wanted = outcomes.map((_, index) => (index === 0 && left) || DONE[call])
        // Which of the two requests came first, and so was carried out, is not known.
        for (const each of wanted) expect(outcomes).toContainEqual(expect.objectContaining(each))
        if (!left) for (const outcome of outcomes) expect(outcome).toMatchObject(DONE[call])
      },
    )

    test.each(calls)('%s: the answer is lost, and the money moves once', async (call) => {
      const piece = await PREPARE[call](scene)
      scene.proxy.spoilNext('lost', scene.isWriteOf(call))
      await piece.trigger?.(scene.kassa.url)
      for (let times = 0; times < 3; times++) await scene.later(A_LEASE_MS)
      expect(await outcomeOf(scene, piece, call)).toMatchObject(DONE[call])
    })

    test.each(driver.revokeToken ? ['revokeToken'] : [])(
      '%s: a card that the buyer saves after the merchant has revoked it does not stay at the provider',
      async () => {
        const { kassa, shop, simulator } = scene
        const { body } = await createToken(kassa.url, shop)
        const { id } = body.token
        await revokeToken(kassa.url, shop, id)
        await simulator.saver({ kind: 'redirect', url: body.setupUrl }, 'save')
        for (let times = 0; times < 6; times++) {
          await scene.later(5 * MINUTE_MS)
          await SWEEPS.cardRevocations(kassa.ctx)
          await SWEEPS.endedSavings(kassa.ctx)
        }
        const method = await findSavedMethod(kassa.ctx.db, shop.merchantId, id)
        if (!method) throw new Error('no saved method')
        const found = await askProviderAboutMethod(kassa.ctx, method, 'schedule')
        expect(found.kind === 'found' ? found.status : found.kind).toMatch(/^(revoked|cancelled|not_found)$/)
      },
    )

    test('the killed process has logged no secret and nothing of the buyer', () => {
      expect(killed.output).toContain('"level"')
      const own = scene.simulator.settings(scene.proxy.url, { credentials: 'right', steps: 'one' })
      const secrets = (driver.secrets ?? []).map((secret) => String((own as Record<string, unknown>)[secret]))
      for (const hidden of [...secrets, ...(bench.planted ?? [])]) expect(killed.output).not.toContain(hidden)
    })
  })
}

/** A call that the provider does once under its key is sent again. */
function isKeyedCall(scene: MoneyScene, call: MoneyCall): boolean {
  if (call === 'startCheckout') return scene.isKeyed('start')
  return scene.isKeyed(call === 'chargeToken' ? 'charge' : call)
}

type Killed = {
  pieces: Partial<Record<MoneyCall, Piece[]>>
  output: string
}

/** One process is killed while it waits for two responses of each call. The provider has acted on one of the two requests. */
async function killAtRequests(
  scene: MoneyScene,
  calls: readonly MoneyCall[],
  start: StartKilled,
): Promise<Killed> {
  const { proxy, isWriteOf, kassa, settings } = scene
  const pieces: Killed['pieces'] = {}
  for (const call of calls) pieces[call] = [await PREPARE[call](scene), await PREPARE[call](scene)]
  const held = calls.flatMap((call) => MOMENTS.map((moment) => proxy.hold(moment, isWriteOf(call))))
  const process = await start(kassa, { LOG_LEVEL: 'trace', ...settings }, held)
  for (const piece of Object.values(pieces).flat()) void piece.trigger?.(process.url).catch(() => {})
  await process.ended
  return { pieces, output: process.output() }
}

/**
 * Our payment beside the provider's order. A charge that never arrived, at a provider without keys, expires after an hour, and the
 * subscription's next attempt is made two days later.
 */
async function outcomeOf(scene: MoneyScene, piece: Piece, call: MoneyCall) {
  const isKeyed = scene.isKeyed('charge')
  if (call === 'chargeToken' && !isKeyed)
    for (let hours = 0; hours < 60; hours += 4) await scene.later(4 * HOUR_MS)
  const finished = await piece.finish()
  return { ...finished, ...(await scene.books(finished.id)) }
}
