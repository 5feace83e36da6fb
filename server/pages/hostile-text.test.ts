import { inOneField, testHostileTexts } from './hostile-text.suite.ts'

/** `npm run test:long` puts every text into every field. */
testHostileTexts(inOneField)
