/** Writes the diagram of the payment statuses into the README: `npm run generate -- states`. */
import { writeFile } from 'node:fs/promises'
import { README, withStatuses } from './statuses.ts'

await writeFile(README, await withStatuses())
