/** For the tests of a copy of the service: the database server and its templates are those of the tests that made the copy. */
import type { TestProject } from 'vitest/node'

export function setup(project: TestProject): void {
  const url = process.env.HISTORIES_POSTGRES
  if (url === undefined) throw new Error('HISTORIES_POSTGRES is not set.')
  project.provide('postgresUrl', url)
}
