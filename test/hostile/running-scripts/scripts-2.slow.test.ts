import { testScripts } from './test-scripts.ts'

testScripts(1, 2)
