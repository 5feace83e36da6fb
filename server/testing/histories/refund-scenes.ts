/** Refunds that get lost, fail after all, or look different from what they are. */
import type { Act } from './acts.ts'
import { advance, dying, HOUR, MINUTE, SECOND, spoil, sweepAll } from './history.ts'
import { ALL, later, pick, sold, withMoney } from './scene.ts'
import { ask, partOf } from './trade.ts'

export const REFUND_SCENES = {
  async paid(history, step) {
    const sale = await sold(history, step, pick(ALL, step.size))
    if (sale && step.size % 3 === 0) await sale.desk.letters('deliver')
    await later(history, 11 * SECOND)
  },
  /** Our refund never arrives, and somebody refunds the same sum at the provider. */
  async sameByStaff(history, step) {
    const at = await withMoney(history, step)
    if (!at) return
    const amountMinor = partOf(at.sale, step.size >> 3)
    spoil(at.desk, { on: 'write', what: step.size % 2 === 0 ? 'never' : 'lost' })
    await ask(history, at.sale, 'refunds', { amountMinor })
    await sweepAll(history)
    await at.desk.staff(at.reference, 'refund', amountMinor)
    await later(history, pick([SECOND, 61 * SECOND, 25 * HOUR], step.size >> 4))
  },
  /** The provider does not get a write, or its answer is lost, and nobody looks for longer than it remembers a key. */
  async silence(history, step) {
    const at = await withMoney(history, step)
    if (!at) return
    const whats = ['never', 'lost', 'broken', 'crash', 'failed', 'failed_first'] as const
    spoil(at.desk, { on: 'write', what: pick(whats, step.size) })
    await ask(history, at.sale, 'refunds', { amountMinor: partOf(at.sale, step.size >> 3) })
    await dying(history, 'worker', null, () => sweepAll(history))
    await later(history, pick([2 * MINUTE, 25 * HOUR], step.size >> 5))
  },
  /** A refund did not arrive, and the buyer opens a dispute before it is sent again. */
  async disputeBetween(history, step) {
    const at = await withMoney(history, step)
    if (!at) return
    spoil(at.desk, { on: 'write', what: 'never' })
    await ask(history, at.sale, 'refunds', { amountMinor: partOf(at.sale, step.size >> 3) })
    await sweepAll(history)
    await at.desk.dispute(at.reference, step.size % 2 === 0 ? 'lost' : 'won', partOf(at.sale, step.size >> 5))
    await later(history, 5 * SECOND)
    await later(history, 31 * SECOND)
  },
  /** The provider works on a refund, and an older answer arrives. Where the refund failed, the merchant asks again. */
  async lateLook(history, step) {
    const at = await withMoney(history, step)
    if (!at) return
    await at.desk.refundsWill(at.reference, pick(['pending', 'fails_later'] as const, step.size))
    const amountMinor = partOf(at.sale, 1 + (step.size >> 3))
    await ask(history, at.sale, 'refunds', { amountMinor })
    await sweepAll(history)
    spoil(at.desk, { on: 'read', what: 'stale' })
    await later(history, 5 * SECOND)
    await later(history, 9 * SECOND)
    await ask(history, at.sale, 'refunds', { amountMinor })
    await later(history, 61 * SECOND)
  },
  /** A refund that succeeded fails after all, and no callback says so. */
  async undone(history, step) {
    const at = await withMoney(history, step)
    if (!at) return
    await at.desk.refundsWill(at.reference, 'fails_after_success')
    await ask(history, at.sale, 'refunds', {
      amountMinor: partOf(at.sale, step.size % 3 === 0 ? 0 : step.size),
    })
    await sweepAll(history)
    await at.desk.letters('deliver')
    advance(history, 21 * SECOND)
    await at.desk.work()
    await at.desk.letters(step.size % 2 === 0 ? 'lose' : 'deliver')
  },
  /** A bank lists a refund twice, or shows it in its list before its sum does. The merchant asks for all of it once more. */
  async strangeList(history, step) {
    const at = await withMoney(history, step)
    if (!at) return
    const amountMinor = partOf(at.sale, step.size >> 2)
    await ask(history, at.sale, 'refunds', { amountMinor })
    const what = step.size % 2 === 0 ? 'listed_twice' : 'sum_late'
    for (let times = 0; times < 4; times++) spoil(at.desk, { on: 'read', what })
    await sweepAll(history)
    await ask(history, at.sale, 'refunds', { amountMinor })
    await later(history, 11 * SECOND)
  },
} satisfies Record<string, Act>
