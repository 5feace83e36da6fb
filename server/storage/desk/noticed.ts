/** The time until which the operator was sent the cases of the desk. */
import { type Queryable, statement } from '../db.ts'

const find = statement<{ until: Date }>('find_desk_told', 'select until from world.desk_told')
// Only one worker sends the notices.
const lock = statement<{ until: Date }>(
  'lock_desk_told',
  'select until from world.desk_told for update skip locked',
)
const move = statement('move_desk_told', 'update world.desk_told set until = $1')

export async function findDeskNoticedUntil(db: Queryable): Promise<Date> {
  const [row] = await find(db, [])
  if (!row) throw new Error('Bug! The row of desk_told is not there.')
  return row.until
}

/** Locks the row. Returns null if somebody else has locked it. */
export async function lockDeskNoticedUntil(tx: Queryable): Promise<Date | null> {
  return (await lock(tx, []))[0]?.until ?? null
}

export async function moveDeskNoticedUntil(tx: Queryable, until: Date): Promise<void> {
  await move(tx, [until])
}
