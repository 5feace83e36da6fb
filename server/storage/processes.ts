/** The running processes, and the ids of the keys that each knows. All times are those of the database's clock. */
import { APPLICATION, type Queryable, statement } from './db.ts'
import { fieldsOf, type RecordOf, selected } from './fields.ts'

const FIELDS = fieldsOf('processes', ['id', 'name', 'keyIds', 'rotates'])
/** `keyIds`: the newest first. A process encrypts with the first one. `rotates`: the process is a `secrets rotate`. */
export type ProcessRecord = RecordOf<'processes', typeof FIELDS>

/** A process that was not seen for this long has died. */
const DEAD_AFTER = "interval '30 seconds'"

const COLUMNS = selected(FIELDS)

const note = statement(
  'note_process',
  `insert into kassa.processes (id, name, key_ids, rotates) values ($1, $2, $3, $4)
   on conflict (id) do update set seen_at = clock_timestamp()`,
)

const rotated = statement<{ keyId: string }>(
  'list_rotated_keys',
  'select key_ids[1] as "keyId" from kassa.processes where rotates and key_ids[1] <> all($1)',
)
const removeDead = statement(
  'delete_dead_processes',
  `delete from kassa.processes where seen_at <= clock_timestamp() - ${DEAD_AFTER} and rotates = $1`,
)

const silent = statement<{ name: string }>(
  'list_silent_processes',
  `select distinct application_name as name from pg_stat_activity
   where datname = current_database() and application_name like 'kassa %' and application_name <> $1
     and application_name not in (
       select name from kassa.processes where seen_at > clock_timestamp() - ${DEAD_AFTER})
   order by 1`,
)

/** Notes that the process is alive, and forgets the dead ones of its kind. */
export async function noteProcess(
  db: Queryable,
  { id, name, keyIds, rotates }: ProcessRecord,
): Promise<void> {
  await note(db, [id, name, keyIds, rotates])
  await removeDead(db, [rotates])
}

/** Returns the other processes that are alive. */
export const listLivingProcesses = statement<ProcessRecord>(
  'list_living_processes',
  `select ${COLUMNS} from kassa.processes
   where id <> $1 and seen_at > clock_timestamp() - ${DEAD_AFTER} order by name, id`,
).all((ownId: string) => [ownId])

/** Returns the names of processes that are connected to this database, but have not said which keys they know. */
export async function listSilentProcesses(db: Queryable): Promise<string[]> {
  return (await silent(db, [APPLICATION])).map(({ name }) => name)
}

/** Returns the keys of rotations, now or earlier, that are not among these. */
export async function listRotatedKeys(db: Queryable, knownKeyIds: readonly string[]): Promise<string[]> {
  return (await rotated(db, [knownKeyIds])).map(({ keyId }) => keyId)
}

/** Notes that a rotation has ended. Its key stays known until the next rotation. */
// Its row stays, for those who do not know its key.
export const endRotation = statement(
  'end_rotation',
  "update kassa.processes set seen_at = '-infinity' where id = $1",
).run((id: string) => [id])

export const deleteProcess = statement('delete_process', 'delete from kassa.processes where id = $1').run(
  (id: string) => [id],
)
