/** Scripts of operators call these commands, so a name or a flag that goes is seen here. */
import { expect, test } from 'vitest'
import { operateHere } from '../testing/operator.ts'
import { NOUNS } from './parser.ts'

test('each command has the name and the flags that it had', async () => {
  const lines: string[] = []
  for (const { name, verbs } of NOUNS)
    for (const verb of verbs) {
      const { stdout } = await operateHere(
        () => Promise.reject(new Error('not opened')),
        [name, verb.name, '--help'],
      )
      lines.push(/^Usage: npm run -s admin -- (.*)$/m.exec(stdout)?.[1] ?? '')
    }
  // After a change that is meant: npx vitest run server/admin/command-line.test.ts -u
  await expect(`${lines.sort().join('\n')}\n`).toMatchFileSnapshot('./command-line.txt')
})
