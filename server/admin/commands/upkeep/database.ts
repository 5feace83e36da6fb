/** `database`: moves everything to another PostgreSQL. */
import { type Moved, moveDatabase, takeBack } from '../../../backup/move/move.ts'
import { systemClock } from '../../../context.ts'
import { nameOf } from '../../../settings/table.ts'
import type { Move } from '../../../storage/backup/fence.ts'
import { openDb } from '../../../storage/db.ts'
import { databaseVerb, type Noun, type Outcome } from '../../command.ts'
import { required } from '../../flag.ts'
import { counted, paragraphs } from '../../layout.ts'
import { migrate } from './migrate.ts'

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
