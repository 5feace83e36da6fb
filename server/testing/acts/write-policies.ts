/** Writes the table of who may do what into the guide: `npm run generate -- acts`. */
import { writeFile } from 'node:fs/promises'
import { GUIDE, withPolicies } from './policies.ts'

await writeFile(GUIDE, await withPolicies())
