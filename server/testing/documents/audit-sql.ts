/**
 * Writes the statements that give the audit log another owner into the files of the deployment and into the guide:
 * `npm run generate -- audit`. Their only source is `storage/audit/guard-setup.ts`.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { GUARD_SETUP } from '../../storage/audit/guard-setup.ts'

/** The files that have the statements. Each has its own text around them. */
export const FILES = ['deploy/audit.sql', 'deploy/database.sql', 'guides/deploying.md'].map((name) =>
  fileURLToPath(new URL(`../../${name}`, import.meta.url)),
)
const STATEMENTS = /^do \$guard\$\n.*?^end \$guard\$;\n/ms

/** Returns the text with the statements of today. @throws Error if it has none */
export function withStatements(text: string): string {
  if (!STATEMENTS.test(text))
    throw new Error('The file has no statements between "do $guard$" and "end $guard$;".')
  return text.replace(STATEMENTS, () => GUARD_SETUP)
}

if (import.meta.main)
  for (const file of FILES) await writeFile(file, withStatements(await readFile(file, 'utf8')))
