/** The rows of the conformance suite about definite refusals: what the driver calls each of them, and that nothing was done. */
import { expect } from 'vitest'
import { refusalIn } from '../../accounts/refusal.ts'
import type { Refusal } from '../../providers/driver/refusal.ts'
import type { ProviderRight } from '../../providers/driver.ts'
import type { RefusedCause } from './driver-bench.ts'
import { writeOf } from './driver-calls.ts'
import type { Row } from './driver-rows.ts'
import type { Scenes } from './driver-scenes.ts'

export function refusalRows<Settings>(): Row<Settings>[] {
  const opening = (cause: RefusedCause, refusal: Refusal) => (scenes: Scenes<Settings>) =>
    refusesOpening(scenes, cause, refusal)
  return [
    {
      group: 'refusals',
      name: 'the account is not activated',
      needs: 'refused_account',
      run: opening('account', 'account'),
    },
    {
      group: 'refusals',
      name: 'the right to create payments is missing',
      needs: 'refused_rights',
      run: opening('payment', 'rights'),
    },
    {
      group: 'refusals',
      name: 'the amount is out of bounds',
      needs: 'refused_amount',
      run: opening('amount', 'amount'),
    },
    {
      group: 'refusals',
      name: 'the right of one operation is missing',
      needs: 'refused_rights',
      run: refusesOperations,
    },
  ]
}

/** The driver names the reason, no order was opened, and the next request works once the reason is gone. */
async function refusesOpening<Settings>(
  { driver, simulator, attempt, call, open }: Scenes<Settings>,
  cause: RefusedCause,
  refusal: Refusal,
): Promise<void> {
  const given = attempt(simulator.causeRefusal?.(cause))
  const start = () => call(async (each) => driver.startCheckout?.(each, given))
  expect(refusalIn(await outcomeOf(start))).toEqual({ refusal, message: expect.stringMatching(/\w/) })
  const opened = await simulator.books(given.reference).then(
    ({ orders }) => orders,
    () => 0,
  )
  expect(opened).toBe(0)
  simulator.causeRefusal?.(null)
  if (cause !== 'amount') expect((await open(attempt())).kind).toMatch(/redirect|form/)
}

async function refusesOperations<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const { driver } = scenes
  let rows = 0
  for (const write of ['refund', 'capture', 'void'] as const)
    if (driver[write]) {
      await refusesWrite(scenes, write)
      rows++
    }
  for (const right of ['tokenization', 'subscriptions'] as const)
    if (right === 'tokenization' ? driver.saveToken : driver.chargeToken) {
      await refusesMethod(scenes, right)
      rows++
    }
  // A driver without operations has only the right to create payments.
  expect(rows > 0 || driver.refund === undefined).toBe(true)
}

/** The money stays where it is, and everything else goes on. */
async function refusesWrite<Settings>(
  scenes: Scenes<Settings>,
  write: 'refund' | 'capture' | 'void',
): Promise<void> {
  const { driver, simulator, paid, look, call, attempt, open } = scenes
  const steps = write === 'refund' ? 'one' : 'two'
  const order = await paid({ steps })
  const request = writeOf(order, write === 'void' ? order.attempt.amountMinor : 700)
  const before = await simulator.books(order.reference)
  const send = (refusedTimes = 0) =>
    call(async (each) => driver[write]?.(each, { ...request, refusedTimes }), { steps })
  simulator.causeRefusal?.(write)
  expect(refusalIn(await outcomeOf(() => send())), write).toMatchObject({ refusal: 'rights' })
  expect(await simulator.books(order.reference)).toEqual(before)
  expect(await look(order, { steps })).toMatchObject({ order: order.before.order })
  expect((await open(attempt())).kind).toMatch(/redirect|form/)
  simulator.causeRefusal?.(null)
  expect((await send(1))?.kind, write).toMatch(/done|pending/)
}

async function refusesMethod<Settings>(
  scenes: Scenes<Settings>,
  right: Extract<ProviderRight, 'tokenization' | 'subscriptions'>,
): Promise<void> {
  const { driver, simulator, savedMethod, attempt, call } = scenes
  const token = await savedMethod()
  const given = attempt()
  const send = (refusedTimes = 0) =>
    call(async (each) =>
      right === 'tokenization'
        ? driver.saveToken?.(each, given)
        : driver.chargeToken?.(each, { ...given, token, refusedTimes }),
    )
  simulator.causeRefusal?.(right)
  expect(refusalIn(await outcomeOf<unknown>(() => send())), right).toMatchObject({ refusal: 'rights' })
  expect(await simulator.charges(token)).toBe(0)
  simulator.causeRefusal?.(null)
  expect((await send(1))?.kind, right).toMatch(/redirect|done|pending/)
}

/** The result of a call, or the error that it threw. */
const outcomeOf = <Answer>(run: () => Promise<Answer>): Promise<unknown> =>
  run().catch((error: unknown) => error)
