/**
 * Two processes of one service: Idram asks the one and confirms at the other, and one of them dies between. A bill is paid once, and what
 * Idram keeps is in the books.
 */
import { afterEach, describe, expect, test } from 'vitest'
import { startCrashingKassa } from '../../testing/processes/crashing-kassa.ts'
import { sumsOf } from '../../testing/providers/idram/bench.ts'
import { setIdramScene } from '../../testing/providers/idram/scene.ts'
import { closeAfter } from '../../testing/scene.ts'

const MINUTE_MS = 60_000

type Other = Awaited<ReturnType<typeof startCrashingKassa>>

let others: Other[] = []
const scene = closeAfter(await setIdramScene())
afterEach(async () => {
  for (const { kill } of others) await kill()
  others = []
  scene.callAt(scene.kassa.url)
})

/** Another process of the same service. `at`: where it dies. */
async function startOther(at?: string): Promise<Other> {
  const { kassa, settings } = scene
  const crash = at === undefined ? undefined : { at, nth: 1 }
  const { databaseUrl, clock } = kassa
  const other = await startCrashingKassa({ databaseUrl, clock, settings, bankUrl: '', crash })
  others.push(other)
  return other
}

async function expectPaidOnce({ id, bill }: { id: string; bill: string }) {
  const { statusOf, takenOf, wallet } = scene
  expect([await statusOf(id), (await takenOf(id)).length]).toEqual(['paid', 1])
  expect(sumsOf(wallet, bill).capturedMinor).toBe(190_000)
}

test('Idram asks one process and confirms at the other', async () => {
  const { wallet, open, callAt } = scene
  const order = await open()
  expect(await wallet.precheck(order.bill)).toBe(true)
  callAt((await startOther()).url)
  expect(await wallet.precheck(order.bill)).toBe(false)
  expect((await wallet.confirm(order.bill)).state).toBe('kept')
  await expectPaidOnce(order)
})

test('the process that allows the payment dies before it says so: nobody pays, and a minute later somebody may', async () => {
  const { wallet, open, callAt, later, kassa } = scene
  const order = await open()
  const dying = await startOther('after allow_order')
  callAt(dying.url)
  expect(await wallet.pay(order.bill)).toBe(false)
  expect(dying.reached()).toBe('after allow_order')
  callAt(kassa.url)
  expect(await wallet.pay(order.bill)).toBe(false)
  await later(MINUTE_MS)
  expect(await wallet.pay(order.bill)).toBe(true)
  await expectPaidOnce(order)
})

describe('the process that stores a confirmation dies', () => {
  test.each(['after store_proof', 'before write_entries', 'before answer'])(
    '%s: the same confirmation is kept by the other process',
    async (at) => {
      const { wallet, open, callAt, kassa } = scene
      const order = await open()
      expect(await wallet.precheck(order.bill)).toBe(true)
      const dying = await startOther(at)
      callAt(dying.url)
      const first = await wallet.confirm(order.bill)
      expect([first.state, dying.reached()]).toEqual(['unanswered', at])
      callAt(kassa.url)
      expect((await wallet.confirm(order.bill, { id: first.id })).state).toBe('kept')
      await expectPaidOnce(order)
    },
  )

  test('after that, and Idram repeats nothing: the other process applies it', async () => {
    const { wallet, open, callAt, later } = scene
    const order = await open()
    const dying = await startOther('before write_entries')
    callAt(dying.url)
    expect((await wallet.confirm(order.bill)).state).toBe('unanswered')
    await dying.rolledBack()
    await later(2 * MINUTE_MS)
    await expectPaidOnce(order)
  })
})

test.each(['the same transaction', 'two transactions'])(
  '%s at two processes at once: one is entered',
  async (what) => {
    const { wallet, open, callAt, kassa } = scene
    const order = await open()
    const other = await startOther()
    const first = wallet.confirm(order.bill)
    const { id } = wallet.transactions.at(-1) ?? {}
    callAt(other.url)
    const second = wallet.confirm(order.bill, what === 'the same transaction' && id ? { id } : {})
    callAt(kassa.url)
    const states = (await Promise.all([first, second])).map(({ state }) => state)
    expect(states.toSorted()).toEqual(
      what === 'the same transaction' ? ['kept', 'kept'] : ['kept', 'returned'],
    )
    await expectPaidOnce(order)
  },
)
