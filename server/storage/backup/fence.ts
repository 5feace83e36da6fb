/**
 * The fence of a move: from its first moment on, the old database refuses every write.
 * Rule: triggers refuse the writes, so it does not matter which processes run, when they were started, or whether a pooler hides
 * them. A write that was committed before the fence is in the copy. A write after it fails, so nobody was told that it succeeded.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../errors.ts'
import { type Db, inTransaction, limitLockWait, type Tx } from '../db.ts'
import { SHARED } from '../upgrade/files.ts'
import { listTables, nameOfTable, type Table } from './tables.ts'

export type Move = { target: string; startedAt: Date; finishedAt: Date | null }

const LOCK_WAIT_MS = 1_000
const TRIES_MAX = 30
const TRY_PAUSE_MS = 200

/**
 * Notes the move and refuses every write from now on. Waits for the transactions that are writing. An earlier fence stays.
 * @throws AppError request_in_progress if other transactions keep the tables locked
 */
export async function raiseFence(db: Db, target: string, at: Date): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await inTransaction(db, async (tx) => {
        const tables = await lockTables(tx)
        if (await findMove(tx)) await dropFence(tx, tables)
        for (const table of tables)
          await tx.query(
            `create trigger kassa_moved before insert or update or delete or truncate on ${nameOfTable(table)}
             for each statement execute function kassa.refuse_write()`,
          )
        await tx.query('insert into kassa.moves (started_at, target) values ($1, $2)', [at, target])
      })
    } catch (error) {
      const isBusy = error instanceof AppError && error.code === 'request_in_progress'
      if (!isBusy || tries >= TRIES_MAX) throw error
      await sleep(TRY_PAUSE_MS)
    }
  }
}

/** Locks all tables against writes, always in the same order. So two moves cannot deadlock. */
async function lockTables(tx: Tx): Promise<Table[]> {
  await limitLockWait(tx, LOCK_WAIT_MS)
  const tables = await listTables(tx, [SHARED, 'sandbox', 'live'])
  await tx.query(`lock table kassa.moves, ${tables.map(nameOfTable).join(', ')} in share row exclusive mode`)
  return tables
}

/** Allows writes again, and forgets every move. Returns where everything had been moved to. */
export function lowerFence(db: Db): Promise<string[]> {
  return inTransaction(db, async (tx) => dropFence(tx, await lockTables(tx)))
}

async function dropFence(tx: Tx, tables: readonly Table[]): Promise<string[]> {
  for (const table of tables) await tx.query(`drop trigger if exists kassa_moved on ${nameOfTable(table)}`)
  const { rows } = await tx.query<Pick<Move, 'target'>>('delete from kassa.moves returning target')
  return rows.map(({ target }) => target)
}

/** Notes that every row is in the other database. */
export async function finishMove(db: Db, at: Date): Promise<void> {
  await db.query('update kassa.moves set finished_at = $1 where finished_at is null', [at])
}

/** Returns the move of this database, which may still run; null if this database is the one that counts. */
export async function findMove(db: Pick<Db, 'query'>): Promise<Move | null> {
  const { rows: known } = await db.query<{ found: boolean }>(
    `select to_regclass('kassa.moves') is not null as found`,
  )
  if (!known[0]?.found) return null
  const { rows } = await db.query<Move>(
    `select target, started_at as "startedAt", finished_at as "finishedAt" from kassa.moves
     order by started_at desc limit 1`,
  )
  return rows[0] ?? null
}
