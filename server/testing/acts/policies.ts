/** The guide's table of who may do what, made from the table of policies. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { POLICY } from '../../acts/policies.ts'
import { type Act, keyRoleFor } from '../../acts/policy.ts'
import { NOUNS } from '../../admin/parser.ts'

export const GUIDE = fileURLToPath(new URL('../../guides/operators.md', import.meta.url))

const BEGIN =
  '<!-- Written by "npm run generate -- acts" from server/acts/policies.ts. Change the table there. -->'
const END = '<!-- The end of what is written. -->'

const COMMANDS = new Set(NOUNS.flatMap(({ name, verbs }) => verbs.map((verb) => `${name} ${verb.name}`)))
const CONDITIONS = { none: '', factor: 'second factor', person: 'second factor, second person' }

function rowOf(act: Act): string {
  const { roles, guard, why } = POLICY[act]
  const isCommand = COMMANDS.has(act)
  const cells = [
    isCommand ? `\`${act}\`` : act,
    roles.join(', ') || 'the host',
    isCommand ? keyRoleFor(act) : '',
    CONDITIONS[guard],
    why,
  ]
  return `| ${cells.join(' | ')} |`
}

/** Returns the guide with the table of today. @throws Error if the guide has no place for it */
export async function withPolicies(): Promise<string> {
  const text = await readFile(GUIDE, 'utf8')
  const [start, end] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (start < 0 || end < 0) throw new Error(`${GUIDE} lacks the two comments between which the table stands.`)
  const head = ['| Act | Roles | Key of the command | Also asked for | Why |', '|---|---|---|---|---|']
  const rows = (Object.keys(POLICY) as Act[]).map(rowOf)
  return [text.slice(0, start), BEGIN, '\n\n', [...head, ...rows].join('\n'), '\n\n', text.slice(end)].join(
    '',
  )
}
