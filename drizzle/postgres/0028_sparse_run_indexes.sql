DROP INDEX "runs_by_function";--> statement-breakpoint
DROP INDEX "runs_by_version";--> statement-breakpoint
DROP INDEX "runs_by_case";--> statement-breakpoint
DROP INDEX "runs_by_queued_run";--> statement-breakpoint
DROP INDEX "run_inputs_by_source";--> statement-breakpoint
CREATE INDEX "runs_by_function" ON "runs" USING btree ("account_code","function_id","id") WHERE "function_id" is not null;--> statement-breakpoint
CREATE INDEX "runs_by_version" ON "runs" USING btree ("account_code","function_version","id") WHERE "function_version" is not null;--> statement-breakpoint
CREATE INDEX "runs_by_case" ON "runs" USING btree ("account_code","case_id","id") WHERE "case_id" is not null;--> statement-breakpoint
CREATE INDEX "runs_by_queued_run" ON "runs" USING btree ("account_code","queued_run_id","id") WHERE "queued_run_id" is not null;--> statement-breakpoint
CREATE INDEX "run_inputs_by_source" ON "run_inputs" USING btree ("account_code","source_hash") WHERE "source_hash" is not null;