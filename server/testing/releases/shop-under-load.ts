/**
 * A shop whose buyers pay without a pause while versions change, and whose receiver notes each event. At the end it counts what was
 * lost and what was done twice: orders, payments, refunds and events.
 */
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect } from 'vitest'
import { startProcess } from '../processes/child-process.ts'
import { type Received, startReceiver } from '../receiver.ts'

const BUYERS = fileOf('../processes/patient-buyers.ts')
const CLIENTS = 4
/** The payments of one phase are enough to meet every kind of request, also while versions change. */
const PAID_MIN = 12

function fileOf(path: string): string {
  return new URL(path, import.meta.url).pathname
}

type Admin = (args: string[]) => Promise<{ code: number | null; stdout: string }>
type Counted = { orders: number; paid: number; refunded: number; payments: number; refunds: number }
export type ShopUnderLoad = {
  merchantId: string
  /** Waits until the buyers have paid some orders more, and so the service of the moment has done all its work. */
  paySome(): Promise<void>
  /** Ends the buyers. Returns what they saw, and fails if something was lost or done twice. */
  end(): Promise<Counted & { repeated: number; events: number }>
}

/** `admin`: a command of the version that is there at the beginning. `addresses`: where the service is, or will be. */
export async function openShopUnderLoad({
  admin,
  addresses,
  databaseUrl,
}: {
  admin: Admin
  addresses: string[]
  databaseUrl: string
}): Promise<ShopUnderLoad> {
  const receiver = await startReceiver()
  const ask = async (...args: string[]) => {
    const { code, stdout } = await admin([...args, '--json'])
    expect(code, stdout).toBe(0)
    return JSON.parse(stdout)
  }
  const { merchantId } = await ask('merchant', 'create', '--name', 'Busy', '--callback-url', receiver.url)
  const { token } = await ask('token', 'issue', '--merchant', merchantId)
  const folder = await mkdtemp(join(tmpdir(), 'kassa-busy-'))
  const enough = join(folder, 'enough')
  const buyers = startProcess(BUYERS, { args: [token, String(CLIENTS), enough, ...addresses] })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    buyers[name].on('data', (text: Buffer) => {
      output[name] += text
    })
  const paid = () => new Set(statesOf(receiver.received).filter((state) => state.endsWith(' paid'))).size

  return {
    merchantId,
    async paySome() {
      const before = paid()
      await expect.poll(() => paid() - before, { timeout: 120_000 }).toBeGreaterThanOrEqual(PAID_MIN)
    },
    async end() {
      await writeFile(enough, '')
      if (buyers.exitCode === null) await once(buyers, 'close')
      expect(output.stderr).toBe('')
      const seen = JSON.parse(output.stdout) as Counted & { repeated: number }
      const stored = await countStored(databaseUrl, merchantId)
      await expect
        .poll(() => new Set(statesOf(receiver.received)).size, { timeout: 120_000 })
        .toBe(stored.events)
      const events = receiver.received.length
      await receiver.close()
      await rm(folder, { recursive: true })
      expectNothingLost(seen, stored, receiver.received)
      return { ...seen, events }
    },
  }
}

const statesOf = (received: readonly Received[]) =>
  received.map(({ event }) => `${event.payment.id} ${event.sequence} ${event.payment.status}`)

/** `bankOrders`: at the simulated bank. `taken`, `refunded`: movements of money in the books. */
type Stored = Record<'payments' | 'bankOrders' | 'taken' | 'refunded' | 'operations' | 'events', number>

async function countStored(databaseUrl: string, merchantId: string): Promise<Stored> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client
    .query<Stored>(
      `select (select count(*)::int from sandbox.payments where merchant_id = $1) as payments,
         (select count(*)::int from sandbox.sandbox_orders) as "bankOrders",
         (select count(*)::int from sandbox.entries where merchant_id = $1 and kind = 'taken') as taken,
         (select count(*)::int from sandbox.entries where merchant_id = $1 and kind = 'refunded') as refunded,
         (select count(*)::int from sandbox.operations where merchant_id = $1) as operations,
         (select count(*)::int from sandbox.events where merchant_id = $1) as events`,
      [merchantId],
    )
    .finally(() => client.end())
  return rows[0] as Stored
}

function expectNothingLost(seen: Counted, stored: Stored, received: readonly Received[]): void {
  const { orders, refunded } = seen
  expect(seen).toMatchObject({ orders, paid: orders, payments: orders, refunds: refunded })
  expect(stored).toMatchObject({ payments: orders, bankOrders: orders, taken: orders })
  expect(stored).toMatchObject({ operations: refunded, refunded, events: new Set(statesOf(received)).size })
  // A repeat has the id of the first delivery, so a shop that looks at the id does nothing twice.
  const ids = new Map(received.map(({ event }, index) => [event.id, statesOf(received)[index]]))
  expect(ids.size).toBe(stored.events)
}
