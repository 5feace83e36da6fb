/** `database migrate`: plans the upgrade of the database, or applies it before the new version serves. */
import { countOthers } from '../../../storage/backup/facts.ts'
import { APPLICATION } from '../../../storage/db.ts'
import { migrate as applyAll } from '../../../storage/migrate.ts'
import { LOCK_WAIT_MS, STATEMENT_MS } from '../../../storage/upgrade/apply.ts'
import { type PlannedMigration, planMigrations } from '../../../storage/upgrade/plan.ts'
import { VERSION } from '../../../version.ts'
import { ADMIN, databaseVerb } from '../../command.ts'
import { toggle } from '../../flag.ts'
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
