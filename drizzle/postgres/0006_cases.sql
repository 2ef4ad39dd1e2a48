CREATE TABLE "case_types" (
	"account_code" text NOT NULL,
	"code" text NOT NULL,
	"indexed_fields" text NOT NULL,
	"written_fields" text NOT NULL,
	"revision" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "case_types_account_code_code_pk" PRIMARY KEY("account_code","code")
);
--> statement-breakpoint
CREATE TABLE "cases" (
	"account_code" text NOT NULL,
	"id" bigint NOT NULL,
	"case_type_code" text NOT NULL,
	"data" text NOT NULL,
	"data_bytes" bigint NOT NULL,
	"version" bigint DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "cases_account_code_id_pk" PRIMARY KEY("account_code","id")
);
--> statement-breakpoint
CREATE TABLE "case_values" (
	"account_code" text NOT NULL,
	"case_type_code" text NOT NULL,
	"field" text NOT NULL,
	"value" text NOT NULL,
	"case_id" bigint NOT NULL,
	CONSTRAINT "case_values_account_code_case_type_code_field_value_case_id_pk" PRIMARY KEY("account_code","case_type_code","field","value","case_id")
);
--> statement-breakpoint
CREATE TABLE "case_leases" (
	"account_code" text NOT NULL,
	"case_id" bigint NOT NULL,
	"holder" text NOT NULL,
	"held_until" timestamp with time zone NOT NULL,
	CONSTRAINT "case_leases_account_code_case_id_pk" PRIMARY KEY("account_code","case_id")
);
--> statement-breakpoint
CREATE TABLE "case_events" (
	"account_code" text NOT NULL,
	"id" bigint NOT NULL,
	"kind" text NOT NULL,
	"case_id" bigint NOT NULL,
	"case_type_code" text NOT NULL,
	"version" bigint NOT NULL,
	"changed_fields" text,
	"long_fields" text,
	"changed_bytes" bigint NOT NULL,
	"by_user_id" bigint,
	"by_email" text,
	"function_name" text,
	"transaction_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "case_events_account_code_id_pk" PRIMARY KEY("account_code","id")
);
--> statement-breakpoint
ALTER TABLE "case_types" ADD CONSTRAINT "case_types_account_code_accounts_account_code_fk" FOREIGN KEY ("account_code") REFERENCES "public"."accounts"("account_code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "cases" ADD CONSTRAINT "cases_account_code_case_type_code_case_types_account_code_code_fk" FOREIGN KEY ("account_code","case_type_code") REFERENCES "public"."case_types"("account_code","code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "case_values" ADD CONSTRAINT "case_values_account_code_case_id_cases_account_code_id_fk" FOREIGN KEY ("account_code","case_id") REFERENCES "public"."cases"("account_code","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "cases_by_type" ON "cases" USING btree ("account_code","case_type_code","id");--> statement-breakpoint
CREATE INDEX "case_values_by_case" ON "case_values" USING btree ("account_code","case_id");--> statement-breakpoint
CREATE INDEX "case_events_by_case" ON "case_events" USING btree ("account_code","case_id","id");