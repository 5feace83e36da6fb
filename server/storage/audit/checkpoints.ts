/** The signed checkpoints of the audit log that this database knows. Copies of them are outside. */
import { statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import type { Watch } from './watched.ts'

const FIELDS = fieldsOf('audit_checkpoints', ['seq', 'digest', 'publicKey', 'signature'])
/**
 * `at`: in UTC, to the millisecond. `publicKey`, `signature`: base64. `guard`: what else was true at that time, with a signature of its
 * own, because the version before checks the first one alone. Null in a checkpoint of a version before.
 */
export type Checkpoint = RecordOf<'audit_checkpoints', typeof FIELDS> & {
  at: string
  guard?: CheckpointGuard | null
}
/**
 * `isGuarded`: another role owned the log. `revocations`: the number of lines in the list of revocations. `watch`: what the triggers
 * were; missing in the first checkpoints.
 */
export type CheckpointGuard = {
  isGuarded: boolean
  revocations: number
  watch?: Watch | null
  signature: string
}

const COLUMNS = `${selected(FIELDS)}, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
  case when guard_signature is not null
    then jsonb_build_object('isGuarded', is_guarded, 'revocations', revocations, 'signature', guard_signature, 'watch',
      case when watch is not null then jsonb_build_object('place', place, 'digest', watch, 'migrations', migrations) end) end as guard`

/** Lets one transaction at a time make a checkpoint. */
export const lockCheckpoints = statement(
  'lock_checkpoints',
  'lock table kassa.audit_checkpoints in share row exclusive mode',
).run()

export const insertCheckpoint = statement(
  'insert_checkpoint',
  `insert into kassa.audit_checkpoints (seq, digest, at, public_key, signature, is_guarded, revocations, guard_signature, place, watch, migrations)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
).run(({ seq, digest, at, publicKey, signature, guard }: Checkpoint) => [
  seq,
  digest,
  at,
  publicKey,
  signature,
  guard?.isGuarded ?? null,
  guard?.revocations ?? null,
  guard?.signature ?? null,
  guard?.watch?.place ?? null,
  guard?.watch?.digest ?? null,
  guard?.watch?.migrations ?? null,
])

/** Returns every checkpoint, the oldest first. */
export const listCheckpoints = statement<Checkpoint>(
  'list_checkpoints',
  `select ${COLUMNS} from kassa.audit_checkpoints order by kassa.audit_checkpoints.at`,
).all()

export const findLatestCheckpoint = statement<Checkpoint>(
  'find_latest_checkpoint',
  `select ${COLUMNS} from kassa.audit_checkpoints order by kassa.audit_checkpoints.at desc limit 1`,
).first()
