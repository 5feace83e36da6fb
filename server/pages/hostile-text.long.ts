import { inEveryField, testHostileTexts } from './hostile-text.suite.ts'

testHostileTexts(inEveryField)
