import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BENCHES } from './bench.ts'
import { type Case, runCase } from './cases.ts'
import { GENERATED } from './generate.ts'

const ROOT = join(import.meta.dirname, '../..')
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}
const cases = (all: Record<string, Case>) =>
  Object.entries(all).map(([name, { runs }]) => [name, runs.flat()] as const)

test.each([...cases(BENCHES), ...cases(GENERATED)])('the files of the case %s exist', (_, words) => {
  const files = words.filter((word) => word.includes('/'))
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
})

test.each(['bench', 'generate'])('%s without a known case lists the cases and fails', (script) => {
  const [program = '', ...words] = scripts[script]?.split(' ') ?? []
  const { status, stderr } = spawnSync(program, [...words, 'nothing'], { cwd: ROOT, encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toContain(`npm run ${script} -- CASE`)
})

test('a program that fails ends the case with its exit code, and the rest does not run', () => {
  const runs: Case['runs'] = [
    ['node', '-e', 'process.exit(7)'],
    ['node', '-e', 'process.exit(0)'],
  ]
  runCase('bench', { broken: { what: '', runs } }, ['broken'])
  const { exitCode } = process
  process.exitCode = 0
  expect(exitCode).toBe(7)
})

test('the map of the code says what each script does', () => {
  const map = readFileSync(join(ROOT, 'server/README.md'), 'utf8')
  const named = ['start', 'test'].map((name) => [name, `npm ${name}`])
  const spelled = new Map(named as [string, string][])
  const missing = Object.keys(scripts).filter(
    (name) => !map.includes(`| \`${spelled.get(name) ?? `npm run ${name}`}`),
  )
  expect(missing).toEqual([])
})
