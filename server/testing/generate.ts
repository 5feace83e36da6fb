/** Writes the files that are made from the code: `npm run generate -- CASE`. */
import { type Case, runCase } from './cases.ts'

export const GENERATED: Record<string, Case> = {
  settings: {
    what: 'the tables of settings and of faults in the guides',
    runs: [['node', 'server/settings/write-guide.ts']],
  },
  tables: {
    what: 'the types of rows, and the guides to the tables of the database and to the costs of requests',
    runs: [['vitest', 'run', 'server/testing/pictures/pictures.test.ts', '--update']],
  },
  messages: {
    what: 'the types of the messages: which keys there are, and the values that each needs',
    runs: [['node', 'server/testing/messages/write-values.ts']],
  },
  'client-types': {
    what: 'the types of the client for Node, from the OpenAPI document',
    runs: [['node', 'server/testing/documents/client-types.ts']],
  },
  acts: {
    what: 'the table of who may do what in the guide',
    runs: [['node', 'server/testing/acts/write-policies.ts']],
  },
  states: {
    what: 'the diagram of the payment statuses',
    runs: [['node', 'server/testing/pictures/write-statuses.ts']],
  },
  audit: {
    what: 'the statements for the audit log, in the files of the deployment and the guide',
    runs: [['node', 'server/testing/documents/audit-sql.ts']],
  },
  long: {
    what: 'the last runs of the long tests in the guide',
    runs: [['node', 'server/testing/long/guide.ts']],
  },
  pictures: {
    what: 'the pictures of the README, from a running service',
    runs: [
      ['vite', 'build'],
      ['node', 'e2e/bench/picture.ts'],
    ],
  },
  shots: {
    what: 'a picture of every hosted page, mail and poster, to look at: [FOLDER [PART OF A NAME [SCREEN]]]',
    runs: [['node', 'e2e/bench/shots.ts']],
  },
}

if (import.meta.main) runCase('generate', GENERATED, process.argv.slice(2))
