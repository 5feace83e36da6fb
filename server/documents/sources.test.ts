import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isCurrent, noteSources } from './sources.ts'

let root: string
beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), 'kassa-sources-')), '/')
  mkdirSync(join(root, 'guides/shop'), { recursive: true })
  writeFileSync(join(root, 'build.ts'), 'build()')
  writeFileSync(join(root, 'guides/one.md'), 'One')
  noteSources(root, root, ['build.ts', 'guides/'])
})
afterEach(() => rmSync(root, { recursive: true }))

test.each<[string, () => void]>([
  ['a changed source', () => writeFileSync(join(root, 'build.ts'), 'build(1)')],
  ['a source that is gone', () => rmSync(join(root, 'build.ts'))],
  ['a changed file of a folder', () => writeFileSync(join(root, 'guides/one.md'), 'Two')],
  ['a new file in a folder', () => writeFileSync(join(root, 'guides/shop/two.md'), 'Two')],
  ['a note that cannot be read', () => writeFileSync(join(root, 'sources.json'), '{')],
  ['a build that is gone', () => rmSync(join(root, 'sources.json'))],
])('%s makes what was built out of date', (_, change) => {
  expect(isCurrent(root, root)).toBe(true)
  change()
  expect(isCurrent(root, root)).toBe(false)
})

test('a test is no source', () => {
  writeFileSync(join(root, 'guides/one.test.ts'), '')
  expect(isCurrent(root, root)).toBe(true)
})

test('the documents that the tests read are those of the sources of this day', () => {
  const project = fileURLToPath(new URL('../../', import.meta.url))
  const { sources } = JSON.parse(readFileSync(join(project, '.dist/documents/sources.json'), 'utf8'))
  for (const each of ['server/guides/', 'server/contract/payment.ts', 'server/http/endpoints/operations.ts'])
    expect(sources).toContain(each)
  expect(isCurrent(project, join(project, '.dist/documents'))).toBe(true)
})
