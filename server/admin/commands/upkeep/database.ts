/** `database`: moves everything to another PostgreSQL. */
import { moveDatabase } from '../../../backup/move.ts'
import { systemClock } from '../../../context.ts'
import { nameOf } from '../../../settings/table.ts'
import { findMove, lowerFence } from '../../../storage/backup/fence.ts'
import { openDb } from '../../../storage/db.ts'
import { databaseVerb, type Noun } from '../../command.ts'
import { required } from '../../flag.ts'
import { counted, paragraphs } from '../../layout.ts'
import { migrate } from './migrate.ts'

const DATABASE_URL = nameOf('databaseUrl')

const move = databaseVerb({
  name: 'move',
  summary: 'Move everything to another PostgreSQL, with the service stopped',
  flags: { to: required('URL', 'the other database: postgres://user:password@host:5432/name') },
  examples: ['--to postgres://kassa:secret@db.example:5432/kassa'],
  async run({ main: { jobsDb } }, { to }, { print }) {
    const { host, pathname } = new URL(to)
    const target = `${host}${pathname}`
    const db = openDb(to, { world: jobsDb.world })
    try {
      const onProgress = (text: string) => print({ text })
      const moved = await moveDatabase(jobsDb, db, { target, now: systemClock.now, onProgress })
      const json = { target, ...moved }
      const counts = `${counted(moved.tables, 'table')} with ${counted(moved.rows, 'row')}`
      if (moved.faults.length > 0)
        return {
          json,
          text: moved.faults.join('\n'),
          problem: {
            code: 'move_faulty',
            message: `${counts} were copied to ${target}, but the money does not add up there. Nothing has changed here: go on with this database.`,
          },
        }
      const text = paragraphs(
        `Everything is in ${target}: ${counts}, each compared with the original.`,
        `Start the service with ${DATABASE_URL} set to the new address, and with the same keys as before. Without ${nameOf('secretsKeys')} the service finds its key in the file secrets-key of its data directory: keep that directory.`,
        'The old database stays as it is. It refuses every write, and no service starts on it. Remove it when you have a backup of the new one.',
      )
      return { json, text }
    } finally {
      await db.end()
    }
  },
})

const reopen = databaseVerb({
  name: 'reopen',
  summary: 'Use this database again after a move that you took back',
  flags: {},
  examples: [''],
  async run({ main: { jobsDb } }) {
    const targets = (await findMove(jobsDb)) ? await lowerFence(jobsDb) : []
    const text =
      targets.length > 0
        ? `The service can be started on this database again. What was written into ${targets.join(', ')} since the move is not here.`
        : 'This database was not moved, so there is nothing to reopen.'
    return { json: { reopened: targets.length > 0, targets }, text }
  },
})

export const database: Noun = {
  name: 'database',
  summary: 'Upgrade the database, and move to another PostgreSQL',
  verbs: [migrate, move, reopen],
}
