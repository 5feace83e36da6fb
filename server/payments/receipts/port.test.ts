/**
 * Registers that need several numbers for one order, that print later than they take an order, or that put more on a receipt than a
 * number; and a register after a restore.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { testAccount } from '../../operator/account-check.ts'
import { ok } from '../../providers/driver/finding.ts'
import type { FiscalDriver, ReceiptOrder } from '../../providers/fiscal/driver.ts'
import { inTransaction } from '../../storage/db.ts'
import { findLatestRestore, markRestored } from '../../storage/restores/restores.ts'
import { readPage } from '../../testing/calls.ts'
import { type Kassa, startKassa } from '../../testing/harness.ts'
import { openFiscalShop } from '../../testing/payments/fiscal-shop.ts'
import { openKassa } from '../../testing/scene.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const kassa = await openKassa()
const { print, printAfter, receipts, setRegisterFault, pay, refund, stored, fiscalStatus } =
  await openFiscalShop(kassa)
beforeEach(() => setRegisterFault(undefined))

/** Replaces the register of route_a by one that notes what it gets. */
function register(driver: Partial<FiscalDriver>): void {
  setRegisterFault(undefined, driver)
}
let numbers = 0
const issued = () => ({ kind: 'issued', number: `port-${++numbers}` }) as const

describe('numbers of requests', () => {
  test('rise by one, also for several requests of one order, and none is used twice', async () => {
    const used: number[] = []
    const take: FiscalDriver['issueReceipt'] = async (call, { sequence }) => {
      used.push(sequence, await call.nextNumber(), await call.nextNumber())
      return issued()
    }
    register({ issueReceipt: take })
    await pay()
    await pay()
    await print()
    expect(used).toHaveLength(6)
    const [first = 0] = used
    expect(used).toEqual(used.map((_, index) => first + index))
  })

  test('of a request that was lost are not used again', async () => {
    const used: number[] = []
    register({
      async issueReceipt(call, { sequence }) {
        used.push(sequence, await call.nextNumber())
        throw new Error('the connection was reset')
      },
      lookUpReceipt: async () => ({ kind: 'not_found' }),
    })
    await pay()
    await print()
    for (let times = 0; times < 3; times++) await printAfter(HOUR_MS)
    expect(used.length).toBeGreaterThanOrEqual(4)
    expect(new Set(used).size).toBe(used.length)
  })

  test('end for a process whose register another one has taken over', async () => {
    let failed: unknown = null
    register({
      async issueReceipt(call) {
        await kassa.ctx.db.query(`update sandbox.fiscal_registers set lease_holder = 'wrk_other'`)
        failed = await call.nextNumber().catch((error: unknown) => error)
        await kassa.ctx.db.query(
          'update sandbox.fiscal_registers set lease_holder = null, lease_until = null',
        )
        return issued()
      },
    })
    await pay()
    await print()
    expect(String(failed)).toContain('taken over')
  })
})

describe('a register that takes only the next number', () => {
  type Mood = 'away' | 'lost_before' | 'lost_after' | 'well'
  /** The tax office keeps the last number. A number that it has taken before proves that the order with it was printed. */
  function openOffice(last = 0) {
    const printed = new Map<string, number>()
    const refused: number[] = []
    let mood: Mood = 'well'
    const take = (number: number) => {
      if (number > last + 1) refused.push(number)
      if (number !== last + 1) return false
      last = number
      return true
    }
    const driver: Partial<FiscalDriver> = {
      takesOnlyNext: true,
      async issueReceipt(call, { reference, sequence }) {
        if (mood === 'away') return { kind: 'unavailable', message: 'nobody listens' }
        if (mood === 'lost_before') throw new Error('the connection was reset')
        let number = sequence
        while (number <= last) number = await call.nextNumber()
        if (!take(number)) return { kind: 'refused', message: '104: wrong seq' }
        printed.set(reference, (printed.get(reference) ?? 0) + 1)
        if (mood === 'lost_after') throw new Error('the connection was reset')
        return issued()
      },
      async lookUpReceipt(_call, { reference, sequence }) {
        if (mood === 'away') return { kind: 'unavailable', message: 'nobody listens' }
        // The same request again.
        if (take(sequence)) printed.set(reference, (printed.get(reference) ?? 0) + 1)
        return issued()
      },
    }
    return {
      driver,
      printed,
      refused,
      become: (next: Mood) => {
        mood = next
      },
    }
  }

  test('gets no number that is too high, whatever is lost on the way, and prints each order once', async () => {
    const { db } = kassa.ctx
    await db.query('update sandbox.fiscal_registers set last_sequence = 0')
    const office = openOffice()
    register(office.driver)
    const ids: string[] = []
    for (const mood of ['well', 'away', 'lost_before', 'lost_after', 'well'] as const) {
      office.become(mood)
      ids.push(await pay(), await pay())
      await print()
      if (mood.startsWith('lost')) {
        // The second order waits until it is clear what became of the first one.
        const states = await Promise.all(ids.slice(-2).map(receipts))
        expect(states.map(([sale]) => sale?.status).toSorted()).toEqual(['printing', 'waiting'])
      }
      office.become('well')
      for (let times = 0; times < 3; times++) await printAfter(60_000)
    }
    expect(await Promise.all(ids.map(fiscalStatus))).toEqual(ids.map(() => 'issued'))
    const timesOf = async (id: string) => office.printed.get((await receipts(id))[0]?.id ?? '')
    expect([await Promise.all(ids.map(timesOf)), office.refused]).toEqual([ids.map(() => 1), []])
  })

  test('gets the next number after a restore too, although the books have lost some', async () => {
    const restored = await startKassa()
    const shop = await openFiscalShop(restored)
    const office = openOffice(407)
    shop.setRegisterFault(undefined, office.driver)
    await loseADay(restored, 400)
    const ids = [await shop.pay(), await shop.pay()]
    await shop.print()
    expect(await Promise.all(ids.map(shop.fiscalStatus))).toEqual(['issued', 'issued'])
    expect([[...office.printed.values()], office.refused]).toEqual([[1, 1], []])
    await restored.close()
  })
})

describe('a register that prints later', () => {
  const taken = { kind: 'pending', message: 'the tax office is busy' } as const

  test('is asked until it has printed, for days, and gets the order once', async () => {
    const orders: string[] = []
    let isPrinted = false
    register({
      async issueReceipt(_call, { reference }) {
        orders.push(reference)
        return taken
      },
      lookUpReceipt: async () => (isPrinted ? issued() : taken),
    })
    const id = await pay()
    await print()
    for (let hours = 0; hours < 3 * 24; hours += 6) await printAfter(6 * HOUR_MS)
    expect((await receipts(id))[0]).toMatchObject({ status: 'printing', statusReason: taken.message })
    isPrinted = true
    await printAfter(HOUR_MS)
    const [sale] = await receipts(id)
    expect([orders.filter((each) => each === sale?.id), await fiscalStatus(id)]).toEqual([
      [sale?.id],
      'issued',
    ])
  })

  test.each([
    ['says that it does not know it', { kind: 'not_found' } as const],
    ['cannot be asked', { kind: 'unavailable', message: 'away' } as const],
  ])('and then %s is not given the order again, and a person decides after a week', async (_, answer) => {
    const orders: string[] = []
    register({
      async issueReceipt(_call, { reference }) {
        orders.push(reference)
        return taken
      },
      lookUpReceipt: async () => answer,
    })
    const id = await pay()
    await print()
    for (let days = 0; days < 6; days++) await printAfter(DAY_MS)
    expect((await receipts(id))[0]?.status).toBe('printing')
    for (let days = 0; days < 3; days++) await printAfter(DAY_MS)
    const [sale] = await receipts(id)
    expect([orders.filter((each) => each === sale?.id), sale?.status]).toEqual([[sale?.id], 'unclear'])
  })

  test('but cannot be asked leaves the receipt to a person', async () => {
    register({ issueReceipt: async () => taken, lookUpReceipt: undefined } as never)
    const id = await pay()
    await print()
    expect((await receipts(id))[0]?.status).toBe('unclear')
  })
})

test('what the register has printed, and its QR code, stand on the buyer’s receipt', async () => {
  const printed = { CRN: '53219917', Fiscal: '98071245' }
  register({ issueReceipt: async () => ({ ...issued(), printed, qr: 'TIN: 01234567, CRN: 53219917' }) })
  const id = await pay()
  await print()
  expect((await receipts(id))[0]).toMatchObject({ printed, qr: 'TIN: 01234567, CRN: 53219917' })
  const { html } = await readPage(`${kassa.url}/checkout/${id}/receipt`)
  for (const text of [...Object.entries(printed).flat(), '<svg class="qr-code"']) expect(html).toContain(text)
})

test('each receipt has a line for what was sold or returned, with the amount of the receipt', async () => {
  const orders: ReceiptOrder[] = []
  const take = async (_call: unknown, order: ReceiptOrder) => {
    orders.push(order)
    return issued()
  }
  register({ issueReceipt: take, issueRefundReceipt: take })
  const id = await pay()
  await print()
  await refund(id, 700)
  await print()
  const line = { productId: null, name: (await stored(id)).merchantOrderId, quantity: 1 }
  expect(orders.map(({ lines }) => lines)).toEqual([
    [{ ...line, amountMinor: 1900 }],
    [{ ...line, amountMinor: 700 }],
  ])
})

/** The books are restored from a backup of yesterday, whose last number is `last`. */
async function loseADay({ clock, ctx: { db, routes } }: Kassa, last: number): Promise<void> {
  const now = clock.now()
  const name = routes.route_a.fiscal?.register ?? ''
  await db.query(
    'insert into sandbox.restores (restored_at, backup_at, skipped_numbers, busiest_receipts) values ($1, $2, 0, $3)',
    [now, new Date(now.getTime() - DAY_MS), JSON.stringify({ [name]: 4 })],
  )
  await db.query('insert into sandbox.fiscal_registers (register, last_sequence) values ($1, $2)', [
    name,
    last,
  ])
}

test('after a restore a register skips the numbers that it may have used since the backup', async () => {
  const restored = await startKassa()
  const shop = await openFiscalShop(restored)
  const used: number[] = []
  shop.setRegisterFault(undefined, {
    async issueReceipt(_call, { sequence }) {
      used.push(sequence)
      return issued()
    },
  })
  await loseADay(restored, 400)
  await shop.pay()
  await shop.print()
  await shop.pay()
  await shop.print()
  expect(used).toEqual([465, 466])
  await restored.close()
})

test('a restore counts the receipts of each register on its busiest day', async () => {
  register({ issueReceipt: async () => issued() })
  for (let each = 0; each < 3; each++) await pay()
  await print()
  const { db } = kassa.ctx
  const { rows } = await db.query(
    'select register, sent_at as at from sandbox.receipts where sent_at is not null',
  )
  const days = Object.groupBy(rows, ({ at }) => at.toISOString().slice(0, 10))
  const most = Math.max(...Object.values(days).map((all = []) => all.length))
  const restoredAt = kassa.clock.now()
  const moments = { backupAt: new Date(restoredAt.getTime() - DAY_MS), restoredAt, settledPerHour: 3_600 }
  await inTransaction(db, (tx) => markRestored(tx, 'sandbox', moments))
  expect((await findLatestRestore(db))?.busiestReceipts).toEqual({ [rows[0].register]: most })
})

describe('the test of an account', () => {
  const findings = async () => {
    const all = await testAccount(kassa.ctx, kassa.ctx.routes.route_a.id)
    return all.map(({ state, message }) => [state, message])
  }

  test('asks its register too, with a number of its own', async () => {
    const numbers: number[] = []
    register({
      async check({ nextNumber }) {
        numbers.push(await nextNumber())
        return [ok('The register is active.')]
      },
    })
    expect(await findings()).toContainEqual(['ok', 'The register is active.'])
    expect(await findings()).toContainEqual(['ok', 'The register is active.'])
    expect(numbers[1]).toBe((numbers[0] ?? 0) + 1)
  })

  test('says that the register does not answer, and that it is printing', async () => {
    register({ check: () => Promise.reject(new Error('no answer within 5000 ms')) })
    expect(await findings()).toContainEqual([
      'problem',
      expect.stringMatching(/did not answer as expected: no answer/),
    ])
    register({
      check: async () => [],
      async issueReceipt() {
        expect(await findings()).toContainEqual(['unknown', expect.stringContaining('it is printing now')])
        return issued()
      },
    })
    const id = await pay()
    await print()
    expect(await fiscalStatus(id)).toBe('issued')
  })
})
