/** The rows of the conformance suite about payments that only the provider can prove, and about orders whose address was lost. */
import { expect } from 'vitest'
import type { InboundEvent } from '../../providers/driver.ts'
import type { Row } from './driver-rows.ts'
import type { Scenes } from './driver-scenes.ts'

export function proofRows<Settings>(): Row<Settings>[] {
  const group = 'proofs and lost addresses'
  return [
    { group, name: 'a payment that only the provider can prove', needs: 'proof', run: proves },
    { group, name: 'two proofs of one order', needs: 'proof', run: provesTwice },
    { group, name: 'a lost address', needs: 'lost_address', run: losesAddress },
  ]
}

/** Every event of what the simulator has sent, in the order of sending. `change`: what a forger does to the body. */
async function eventsOf<Settings>(
  { simulator, call, driver }: Scenes<Settings>,
  change: (body: string) => string = (body) => body,
): Promise<InboundEvent[]> {
  const { inbound } = driver
  if (!inbound) throw new Error('the driver takes no callbacks')
  const events: InboundEvent[] = []
  for (const raw of await simulator.callbacks())
    events.push(
      await call((each) => inbound.receive(each, { ...raw, body: Buffer.from(change(raw.body.toString())) })),
    )
  return events
}

const proofsIn = (events: InboundEvent[]) =>
  events.flatMap((event) => (event.kind === 'proof' ? [event] : []))

async function payOne<Settings>({ simulator, attempt, open }: Scenes<Settings>) {
  await simulator.callbacks()
  const given = attempt()
  await simulator.buyer(await open(given), 'pay')
  return given
}

/** A verified message says it all: the order, its money and the provider's id. A changed one proves nothing. */
async function proves<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const { reference, amountMinor, currency } = await payOne(scenes)
  const proofs = proofsIn(await eventsOf(scenes))
  const money = { amountMinor, currency, capturedMinor: amountMinor, refundedMinor: 0 }
  expect(proofs).toEqual([
    {
      kind: 'proof',
      reference,
      snapshot: expect.objectContaining({
        order: 'completed',
        reference,
        ...money,
        providerTransactionId: expect.stringMatching(/./),
      }),
    },
  ])
  await payOne(scenes)
  const forged = await eventsOf(scenes, (body) => body.replaceAll('19.00', '1.00'))
  expect(proofsIn(forged)).toEqual([])
  expect(forged.some(({ kind }) => kind === 'rejected')).toBe(true)
}

/** The core tells a repetition from a second payment by the provider's id, and the provider tells our replies apart. */
async function provesTwice<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const { simulator, driver } = scenes
  const { reference } = await payOne(scenes)
  await simulator.confirmAgain?.(reference, 'another_payment')
  const proofs = proofsIn(await eventsOf(scenes))
  expect(proofs.map((proof) => proof.reference)).toEqual([reference, reference])
  const ids = proofs.map(({ snapshot }) => snapshot.providerTransactionId)
  expect(new Set(ids).size).toBe(2)
  const [proof] = proofs
  if (!proof) return
  expect(driver.inbound?.reply(proof, 'refused')).not.toEqual(driver.inbound?.reply(proof, 'accepted'))
  // What is sent again after a lost reply is the same transaction.
  await simulator.confirmAgain?.(reference, 'repeated')
  const again = proofsIn(await eventsOf(scenes))
  expect(again.map(({ snapshot }) => snapshot.providerTransactionId)).toEqual([ids[0]])
}

/**
 * The provider has opened the order, and its answer was lost. Either the same request brings the address, or a look-up does, or the order
 * is withdrawn and can no longer be paid, or nobody can ever come to it. In the end one order can be paid, and no more.
 */
async function losesAddress<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const { driver, proxy, attempt, simulator, look } = scenes
  const given = attempt()
  const write = simulator.writes.find((each) => each.call === 'startCheckout')
  proxy.spoilNext(
    'lost',
    (method, path) => method === 'POST' && (write?.path.test(path.replace(/\?.*/, '')) ?? true),
  )
  const start = (attempted: typeof given) =>
    scenes.call(async (each) => driver.startCheckout?.(each, attempted))
  const lost = await start(given).then(
    (answer) => answer?.kind,
    () => 'unknown',
  )
  expect(lost).toBe('unknown')
  if (scenes.isKeyed('start')) {
    expect(driver.addressShownOnce).toBeUndefined()
    const again = await start(given)
    if (again?.kind !== 'redirect') throw new Error(`the checkout is ${again?.kind}`)
    await simulator.buyer(again, 'pay')
    expect(await simulator.books(given.reference)).toMatchObject({ orders: 1 })
    return
  }
  const order = { reference: given.reference, state: null }
  const found = await scenes.call(async (each) => driver.lookUp?.(each, order))
  if (found?.kind !== 'found' && found?.kind !== 'unpaid') throw new Error(`the order is ${found?.kind}`)
  if (driver.addressShownOnce) {
    expect([found.opened, (await look(order)).order]).toEqual([undefined, 'waiting'])
    expect((await start(given).catch(() => undefined))?.kind).not.toMatch(/redirect|form/)
    expect((await start(attempt()))?.kind).toMatch(/redirect|form/)
    return
  }
  if (found.opened) return simulator.buyer(found.opened, 'pay')
  expect(await scenes.call(async (each) => driver.withdraw?.(each, order))).toMatchObject({ kind: 'done' })
  expect((await look(order)).order).toMatch(/^(declined|cancelled|expired|voided)$/)
  expect((await start(attempt()))?.kind).toMatch(/redirect|form/)
}
