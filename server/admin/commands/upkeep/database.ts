/** `database`: moves everything to another PostgreSQL. */
import { type Moved, moveDatabase, takeBack } from '../../../backup/move/move.ts'
import { systemClock } from '../../../context.ts'
import { nameOf } from '../../../settings/table.ts'
import { countOthers } from '../../../storage/backup/facts.ts'
import type { Move } from '../../../storage/backup/fence.ts'
import { APPLICATION, openDb } from '../../../storage/db.ts'
import { migrate as applyAll } from '../../../storage/migrate.ts'
import { LOCK_WAIT_MS, STATEMENT_MS } from '../../../storage/upgrade/apply.ts'
import { type PlannedMigration, planMigrations } from '../../../storage/upgrade/plan.ts'
import { VERSION } from '../../../version.ts'
import { ADMIN, databaseVerb, type Noun, type Outcome } from '../../command.ts'
import { required, toggle } from '../../flag.ts'
import { counted, paragraphs, table } from '../../layout.ts'

const NOTHING = `The database has everything that version ${VERSION} needs. Nothing needs to be done.`

export const migrate = databaseVerb({
  name: 'migrate',
  needs: 'host',
  withoutLog: true,
  onEmpty: 'fill',
  summary: 'Upgrade the database to this version, or show what that would do',
  flags: {
    plan: toggle('show what would be done, and change nothing'),
    withoutTimeLimits: toggle('let statements and locks take any time; no service and no worker may run'),
  },
  examples: ['--plan', ''],
  async run({ main: { jobsDb }, worlds }, { plan, withoutTimeLimits }, { print }) {
    if (plan) {
      const migrations = await planMigrations(jobsDb, worlds)
      return { json: { version: VERSION, migrations }, text: describePlan(migrations) }
    }
    const others = withoutTimeLimits ? await countOthers(jobsDb, APPLICATION) : 0
    if (others > 0) {
      const message = `Other processes of Kassa use this database (${counted(others, 'connection')}). Stop every service and worker first, because their requests would wait.`
      return { json: { applied: [] }, text: 'Nothing was changed.', problem: { code: 'in_use', message } }
    }
    const onProgress = (text: string) => print({ text })
    const applied = await applyAll(jobsDb, worlds, { withoutTimeLimits, onProgress })
    const rows = applied.map(({ migration, tries, ms }) => [migration, String(tries), `${ms} ms`])
    return {
      json: { version: VERSION, applied },
      text: applied.length === 0 ? NOTHING : table(['Applied', 'Tries', 'Took'], rows),
    }
  },
})

function describePlan(migrations: PlannedMigration[]): string {
  if (migrations.length === 0) return NOTHING
  const oldest = migrations
    .map(({ oldestVersion }) => oldestVersion)
    .sort(byVersion)
    .at(-1)
  return paragraphs(
    `${counted(migrations.length, 'migration')} would be applied. Nothing was changed.`,
    ...migrations.map(describeMigration),
    `A migration waits for a lock for at most ${LOCK_WAIT_MS / 1000} s and then tries again later. A statement is rolled back after ${STATEMENT_MS / 1000} s.`,
    `If a statement takes longer, stop the service and run: ${ADMIN} database migrate --without-time-limits`,
    `Afterwards Kassa ${oldest} and newer can work on this database. Older versions refuse to start.`,
  )
}

const byVersion = (one: string, other: string) => one.localeCompare(other, 'en', { numeric: true })

function describeMigration({ schema, name, about, isConcurrent }: PlannedMigration): string {
  return `${schema}/${name}: ${about}${isConcurrent ? ' It is built beside requests.' : ''}`
}

const move = databaseVerb({
  name: 'move',
  needs: 'administrator',
  summary: 'Move everything to another PostgreSQL, with every service stopped',
  flags: { to: required('URL', 'the other database: postgres://user:password@host:5432/name') },
  examples: ['--to postgres://kassa:secret@db.example:5432/kassa'],
  async run({ main: { jobsDb } }, { to }, { print, act }) {
    const { host, pathname } = new URL(to)
    const target = `${host}${pathname}`
    const db = openDb(to, { world: jobsDb.world })
    try {
      const onProgress = (text: string) => print({ text })
      const moved = await moveDatabase(jobsDb, db, { target, now: systemClock.now, act, onProgress })
      return describeMove(moved, target)
    } finally {
      await db.end()
    }
  },
})

function describeMove(moved: Moved | null, target: string): Outcome {
  const json = { target, ...moved }
  if (moved && moved.faults.length > 0)
    return {
      json,
      text: moved.faults.join('\n'),
      problem: {
        code: 'move_faulty',
        message: `${countRows(moved)} were copied to ${target}, but the money does not add up there. Nothing has changed here: go on with this database.`,
      },
    }
  const done = moved
    ? `Everything is in ${target}: ${countRows(moved)}, each compared with the original.`
    : `Everything was in ${target} already. The interrupted move has ended now.`
  return { json, text: paragraphs(done, whatIsNext()) }
}

const countRows = ({ tables, rows }: Moved) => `${counted(tables, 'table')} with ${counted(rows, 'row')}`

function whatIsNext(): string {
  return paragraphs(
    'No service starts on the old database any more. Do this now:',
    `1. Set ${nameOf('databaseUrl')} to the new address in the settings of every service and worker.\n` +
      `2. Start each of them, with the same keys as before. Without ${nameOf('secretsKeys')} the service finds its key in the file secrets-key of its data directory: keep that directory.`,
    'The old database stays as it is, and refuses every write. Remove it when you have a backup of the new one.',
  )
}

const reopen = databaseVerb({
  name: 'reopen',
  needs: 'administrator',
  withoutLog: true,
  summary: 'Use this database again after a move that you took back',
  flags: {},
  examples: [''],
  async run({ main: { jobsDb } }) {
    const move = await takeBack(jobsDb)
    return { json: { reopened: move !== null, targets: move ? [move.target] : [] }, text: reopenedText(move) }
  },
})

function reopenedText(move: Move | null): string {
  if (!move) return 'This database was not moved, so there is nothing to reopen.'
  const rest = move.finishedAt
    ? `What was written into ${move.target} since the move is not here. Start no service there.`
    : `No service has used the copy in ${move.target}, and none can. Another move may overwrite it.`
  return `The service can be started on this database again. ${rest}`
}

export const database: Noun = {
  name: 'database',
  summary: 'Upgrade the database, and move to another PostgreSQL',
  verbs: [migrate, move, reopen],
}
