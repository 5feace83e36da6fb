import { once } from 'node:events'
import { expect, test } from 'vitest'
import { endProcess, startProgram } from './child-process.ts'
import { processesNaming } from './npm-run.ts'

/** No other process has it in its command line. */
const SECONDS = `600.${process.pid}`
/** Starts a process, and a group of two. */
const PARENT = `
  import { spawn } from 'node:child_process'
  import { endWithTest } from ${JSON.stringify(new URL('./child-process.ts', import.meta.url).href)}
  endWithTest(spawn('sleep', ['${SECONDS}']))
  const group = spawn('sh', ['-c', 'sleep ${SECONDS} & echo started; wait'], { detached: true })
  endWithTest(group, { isGroup: true })
  group.stdout.once('data', (text) => console.log(String(text)))`

test('what a test has started ends with it, also if the test is killed', async () => {
  const parent = startProgram(process.execPath, ['--input-type=module', '--eval', PARENT], {
    env: process.env,
  })
  await once(parent.stdout, 'data')
  expect(await processesNaming(SECONDS)).toHaveLength(4)
  await endProcess(parent)
  await expect.poll(() => processesNaming(SECONDS)).toEqual([])
})
