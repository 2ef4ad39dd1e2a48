CREATE TABLE "hooks" (
	"account_code" text NOT NULL,
	"id" bigint NOT NULL,
	"case_type_code" text NOT NULL,
	"event" text NOT NULL,
	"position" bigint NOT NULL,
	"function_id" bigint NOT NULL,
	"scopes" text NOT NULL,
	"enabled" boolean NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "hooks_account_code_id_pk" PRIMARY KEY("account_code","id")
);
--> statement-breakpoint
CREATE TABLE "case_tasks" (
	"account_code" text NOT NULL,
	"id" bigint NOT NULL,
	"case_type_code" text NOT NULL,
	"name" text NOT NULL,
	"function_id" bigint NOT NULL,
	"scopes" text NOT NULL,
	"enabled" boolean NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "case_tasks_account_code_id_pk" PRIMARY KEY("account_code","id")
);
--> statement-breakpoint
ALTER TABLE "hooks" ADD CONSTRAINT "hooks_account_code_function_id_functions_account_code_id_fk" FOREIGN KEY ("account_code","function_id") REFERENCES "public"."functions"("account_code","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "hooks" ADD CONSTRAINT "hooks_account_code_case_type_code_case_types_account_code_code_fk" FOREIGN KEY ("account_code","case_type_code") REFERENCES "public"."case_types"("account_code","code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "case_tasks" ADD CONSTRAINT "case_tasks_account_code_function_id_functions_account_code_id_fk" FOREIGN KEY ("account_code","function_id") REFERENCES "public"."functions"("account_code","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "case_tasks" ADD CONSTRAINT "case_tasks_account_code_case_type_code_case_types_account_code_code_fk" FOREIGN KEY ("account_code","case_type_code") REFERENCES "public"."case_types"("account_code","code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "hooks_by_event" ON "hooks" USING btree ("account_code","case_type_code","event","position","id");--> statement-breakpoint
CREATE INDEX "hooks_by_function" ON "hooks" USING btree ("account_code","function_id","id");--> statement-breakpoint
CREATE INDEX "case_tasks_by_function" ON "case_tasks" USING btree ("account_code","function_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "case_tasks_by_name" ON "case_tasks" USING btree ("account_code","case_type_code","name");