/**
 * Gives a command its database connection. A reading command gets a connection that cannot write. Everything that another command writes
 * is recorded in the audit log in the same transaction, so no command can skip the log.
 */
import { type Caller, expectRole, identify, type Person } from '../audit/people.ts'
import { writeRevocations } from '../audit/revocations.ts'
import { expectSoundLog } from '../audit/state.ts'
import type { Context, Worlds } from '../context.ts'
import { systemClock } from '../context.ts'
import type { World } from '../contract/health.ts'
import { AppError } from '../errors.ts'
import { newSharedId } from '../id.ts'
import { findSecretsKeys } from '../secrets/keys.ts'
import { createVault } from '../secrets/vault.ts'
import type { Database } from '../start/database.ts'
import { actingOn, readOnly } from '../storage/audit/act.ts'
import { type Act, appendAudit } from '../storage/audit/log.ts'
import { findAuditGuard } from '../storage/audit/place.ts'
import { type Db, inTransaction } from '../storage/db.ts'
import { hasLiveWorld } from '../storage/migrate.ts'
import { type CommandTools, isReading, type Outcome, type Run, type Verb } from './command.ts'

/** The command's name in the audit log (`payment confirm`), the ids among its values, and who may run it. */
export type Named = { what: string; ids: string[] } & Pick<Verb, 'needs' | 'reads' | 'withoutLog'>

type OnService = Extract<Run, { on: 'service' }> & Named
type OnDatabase = Extract<Run, { on: 'database' }> & Named
type Acting = Pick<CommandTools, 'worlds' | 'operator' | 'person' | 'act'>

/** @throws AppError validation_failed if the caller is not known, or may not run this command */
export async function actOn(worlds: Worlds, world: World, run: OnService, caller: Caller): Promise<Acting> {
  const { db } = worlds.sandbox
  const person = await admit(db, run, caller)
  if (!isReading(run) && !run.withoutLog) await expectSoundLog(worlds.sandbox, systemClock.now())
  const act = actOf(person, run, caller)
  const given = { operator: person.name, person, act }
  const done = { isRecorded: false }
  const fields = auditFieldsOf(run)
  if (isReading(run)) return { ...given, worlds: mapWorlds(worlds, readOnly) }
  if (run.recorded === 'before') {
    await inTransaction(db, (tx) => appendAudit(tx, act, { ...fields, world }))
    return { ...given, worlds }
  }
  return { ...given, worlds: mapWorlds(worlds, (each) => actingOn(each, { act, ...fields }, done)) }
}

/** Runs a command on the database itself. It is recorded afterwards, because before the run the log may be missing or of an older version. */
export async function actOnDatabase(
  database: Database,
  run: OnDatabase,
  { caller, print }: { caller: Caller } & Pick<CommandTools, 'print'>,
): Promise<Outcome> {
  const db = database.main.jobsDb
  const person = await admit(db, run, caller)
  if (!run.withoutLog) await expectSoundDatabase(database)
  const act = actOf(person, run, caller)
  const outcome = await run.run(database, { print, act })
  if (!outcome.problem && (await findAuditGuard(db)).hasLog)
    await inTransaction(db, (tx) => appendAudit(tx, act, { ...auditFieldsOf(run), world: null }))
  return outcome
}

async function expectSoundDatabase({ main: { jobsDb: db }, config, dataDir }: Database): Promise<void> {
  const keys = await findSecretsKeys(config, dataDir)
  if (keys.length > 0) await expectSoundLog({ db, config, vault: createVault(keys) }, systemClock.now())
}

/** Writes what the command has revoked to the file beside the checkpoints. Returns a line for the operator if that fails. */
export async function keepRevocations({ sandbox }: Worlds): Promise<string | null> {
  try {
    await writeRevocations(sandbox)
    return null
  } catch (error) {
    return `The revocation is in force, but the list of revocations beside the checkpoints could not be written (${(error as Error).message}). The worker tries again.`
  }
}

async function admit(db: Db, run: OnService | OnDatabase, caller: Caller): Promise<Person> {
  const isRequired = run.needs !== 'host' && (await hasLiveWorld(db))
  let known: Pick<Person, 'id' | 'name'> = { id: null, name: caller.user }
  try {
    const person = await identify(db, caller, { isRequired })
    known = person
    if (run.needs !== 'host') expectRole(person, run.needs, run.what)
    return person
  } catch (error) {
    if (error instanceof AppError) await recordRefusal(db, run, actOf(known, run, caller), caller)
    throw error
  }
}

/** Records a run that was refused for a wrong key or an insufficient role. A run without any key is not recorded. */
async function recordRefusal(db: Db, run: OnService | OnDatabase, act: Act, caller: Caller): Promise<void> {
  const key = await caller.readKey().catch(() => undefined)
  if (key === undefined || !(await findAuditGuard(db)).hasLog) return
  const about = ['refused', ...run.ids].join(' ')
  await inTransaction(db, (tx) => appendAudit(tx, act, { ...auditFieldsOf(run), about, world: null }))
}

function actOf(
  { id, name }: Pick<Person, 'id' | 'name'>,
  { what }: Pick<Named, 'what'>,
  { from }: Caller,
): Act {
  return { id: newSharedId('act', systemClock.now()), who: name, operator: id, from, what }
}

function auditFieldsOf({ ids }: Pick<Named, 'ids'>) {
  return { merchantId: ids.find((id) => id.startsWith('mer_')) ?? null, about: ids.join(' ') }
}

function mapWorlds({ sandbox, live }: Worlds, wrap: (db: Db) => Db): Worlds {
  const wrapped = (ctx: Context) => ({ ...ctx, db: wrap(ctx.db) })
  return { sandbox: wrapped(sandbox), ...(live && { live: wrapped(live) }) }
}
