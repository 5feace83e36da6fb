/**
 * The long tests: `npm run test:long` runs all of them, and `npm run test:long -- FILE` those files of `.long.ts` whose paths contain the
 * given text.
 */
import { spawnSync } from 'node:child_process'

const UNIT = ['vitest', 'run', '--root', '.', '--config', 'server/testing/long-config.ts']
const BROWSER = [
  ['vite', 'build'],
  ['node', 'e2e/support/browser.ts'],
  ['playwright', 'test', 'interruptions', 'firefox.spec', '--repeat-each', '20'],
  ['playwright', 'test', 'action', 'axe', 'pollution', 'console'],
]

const files = process.argv.slice(2)
const steps = files.length > 0 ? [[...UNIT, ...files]] : [UNIT, ...BROWSER]
for (const [program = '', ...words] of steps) {
  const { status } = spawnSync(program, words, {
    stdio: 'inherit',
    env: { ...process.env, KASSA_TEST_LONG: '1' },
  })
  if (status !== 0) {
    process.exitCode = status ?? 1
    break
  }
}
