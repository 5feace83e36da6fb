/** A shop whose receiver is the order book, in processes and in a database of its own. */
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import { createVault } from '../../secrets/vault.ts'
import { openDb } from '../../storage/db.ts'
import { insertWebhookSecret } from '../../storage/events/webhook-secrets.ts'
import { insertMerchant } from '../../storage/merchants/merchants.ts'
import { createTestDatabase } from '../database.ts'
import { SECRETS_KEY } from '../harness.ts'
import { programOf } from '../processes/programs.ts'
import { openKitProcesses } from './kit-processes.ts'
import type { Kit, KitShop, KitTask } from './kit-shop.ts'
import type { KitRunner } from './runners.ts'

const MAIN = fileURLToPath(new URL('order-book-main.ts', import.meta.url))
const MERCHANT = `mer_01${'0'.repeat(8)}01${'a'.repeat(24)}`

export const ORDER_BOOK: KitRunner = {
  label: 'the order book',
  missing: null,
  web: () => [process.execPath, programOf(MAIN)],
  open: openOrderBookShop,
}

const TASKS = { deliver: 'DELIVER', ask: 'ASK A PERSON', note: 'NOTE' } as const
// A payment that never had money makes no order. That it was handled is what a kit notes.
const TASK_ROWS = `
  select c.kind, o.reference as "orderId", c.payment_id as "paymentId", c.sequence, c.why, c.status, c.amount_minor as amount,
    p.currency, o.product_id as product, c.at, c.number
  from sandbox.order_changes c join sandbox.orders o on o.id = c.order_id
    join sandbox.order_payments p on p.payment_id = c.payment_id
  union all
  select 'note', p.reference, p.payment_id, p.sequence, null, p.status, null, p.currency, null, p.event_at, 0
  from sandbox.order_payments p
  where p.due_at is null and not exists (select from sandbox.order_changes c where (c.payment_id, c.sequence) = (p.payment_id, p.sequence))
  order by at, number`

async function openOrderBookShop(runner: KitRunner, { webhookSecret }: Kit): Promise<KitShop> {
  const folder = await mkdtemp(join(tmpdir(), 'kassa-order-book-'))
  const database = await createTestDatabase(inject('postgresUrl'), 'sandbox')
  const db = openDb(database.url, { world: 'sandbox', max: 2 })
  const createdAt = new Date()
  await insertMerchant(db, { id: MERCHANT, name: 'Shop', createdAt })
  const id = 'sec_test_kit'
  const sealed = createVault([SECRETS_KEY]).seal(webhookSecret, ['sandbox', MERCHANT, id])
  await insertWebhookSecret(db, { merchantId: MERCHANT, id, ...sealed, createdAt, expiresAt: null })
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL: database.url, SECRETS_KEY, MERCHANT }
  const countPending = async () => {
    const { rows } = await db.query(
      'select count(*)::int as n from sandbox.order_payments where due_at is not null',
    )
    return rows[0].n as number
  }
  const { killAll, ...processes } = openKitProcesses(runner, { folder, env, countPending })
  return {
    folder,
    ...processes,
    async writePrices(prices) {
      const draft = join(folder, 'prices.draft')
      await writeFile(draft, typeof prices === 'string' ? prices : JSON.stringify(prices))
      await rename(draft, join(folder, 'prices.json'))
    },
    async listTasks() {
      const { rows } = await db.query(TASK_ROWS)
      return rows.map(({ kind, amount, currency, product, why, status, ...row }) => ({
        ...row,
        task: TASKS[kind as keyof typeof TASKS],
        why:
          kind === 'deliver'
            ? `paid ${amount} ${currency}${product ? ` for ${product}` : ''}`
            : (why ?? status),
      })) as KitTask[]
    },
    countPending,
    async close() {
      await killAll()
      await db.end()
      await database.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
