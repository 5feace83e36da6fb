/**
 * The one place where what a person does meets the log. A command and a page of the console get no other database than one of
 * these two, so a verb cannot change anything without a row: it need not know of the log at all.
 */
import pg from 'pg'
import { afterCommit } from '../after-commit.ts'
import { type Db, type Tx, withFrame } from '../db.ts'
import { type Act, type Appended, appendAudit } from './log.ts'

/** When this process has last committed each act, as `performance.now` counts. */
const committedAt = new Map<string, number>()

/** Returns when this process has last committed one of these acts; minus infinity if it never has. */
export function lastCommitOf(isMeant: (what: string) => boolean): number {
  const times = [...committedAt].filter(([what]) => isMeant(what)).map(([, at]) => at)
  return Math.max(Number.NEGATIVE_INFINITY, ...times)
}

const ACTS = new WeakMap<Db, Act>()

/** Returns the act that this database names to the log. @throws Error for a database that names none */
export function actOn(db: Db): Act {
  const act = ACTS.get(db)
  if (act) return act
  throw new Error('Bug! This database names no act to the log.')
}

/** Every transaction is one in which PostgreSQL refuses each write. */
export function readOnly(db: Db): Db {
  return withFrame(db, { begin: 'begin read only', end: async () => {} })
}

/**
 * Every transaction names the act to the triggers of what redirects money, which log each change with its values. The first
 * transaction that changes something else leaves a row of the act itself. `done`: shared by the act's databases.
 */
export function actingOn(
  db: Db,
  { act, ...row }: { act: Act } & Pick<Appended, 'merchantId' | 'about'>,
  done: { isRecorded: boolean },
): Db {
  const acting = withFrame(db, {
    begin: `begin; set local kassa.act = ${pg.escapeLiteral(JSON.stringify(act))}`,
    async end(tx) {
      if (!(await hasWritten(tx))) return
      // The triggers that wait for the commit run now.
      await tx.query('set constraints all immediate')
      if (!done.isRecorded && !(await isAudited(tx))) await appendAudit(tx, act, { ...row, world: tx.world })
      afterCommit(tx, () => {
        done.isRecorded = true
        committedAt.set(act.what, performance.now())
      })
    },
  })
  ACTS.set(acting, act)
  return acting
}

async function hasWritten(tx: Tx): Promise<boolean> {
  const { rows } = await tx.query<{ wrote: boolean }>(
    'select pg_current_xact_id_if_assigned() is not null as wrote',
  )
  return rows[0]?.wrote ?? false
}

async function isAudited(tx: Tx): Promise<boolean> {
  const { rows } = await tx.query<{ audited: boolean }>(
    `select coalesce(current_setting('kassa.audited', true), '') = 'yes' as audited`,
  )
  return rows[0]?.audited ?? false
}
