/* A model file as JSON. */
#include "show.h"

#include <stdio.h>
#include <string.h>

#include "config.h"
#include "shape.h"

static json_t *groups_json(const scadyg_model *model)
{
    json_t *list = json_array();
    const char *name;
    const float *values;
    size_t rows = 0, columns = 0;
    int failed = !list;
    for (size_t i = 0; !failed && (name = scadyg_model_group(model, i, &rows, &columns, &values)); i++) {
        json_t *group = json_object();
        failed |= json_object_set_new(group, "name", json_string(name));
        failed |= json_object_set_new(group, "rows", json_integer((json_int_t)rows));
        failed |= json_object_set_new(group, "columns", json_integer((json_int_t)columns));
        failed |= json_array_append_new(list, group);
    }
    if (!failed) return list;
    json_decref(list);
    return NULL;
}

static json_t *data_json(const scadyg_model_info *info)
{
    json_t *data = json_object(), *name = json_string(info->data ? info->data : "");
    char checksum[16];
    snprintf(checksum, sizeof checksum, "%08x", (unsigned)info->checksum);
    int failed = json_object_set_new(data, "name", name ? name : json_null());
    failed |= json_object_set_new(data, "checksum", json_string(checksum));
    failed |= cli_shape_json(data, &info->shape);
    if (!failed) return data;
    json_decref(data);
    return NULL;
}

static json_t *result_json(const scadyg_model *model)
{
    const char *text = scadyg_model_result(model);
    json_t *result = text && *text ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;
    return result ? result : json_null();
}

json_t *show_json(const cli_session *session)
{
    const scadyg_model_info *info = session->info;
    cli_table table = {0};
    table.options = scadyg_train_option_table(&table.count);
    char kind[CLI_TEXT];
    cli_kind_name(info, kind);
    json_t *object = json_object(), *file = json_string(session->model_path);
    int failed = json_object_set_new(object, "file", file ? file : json_null());
    failed |= json_object_set_new(object, "bytes", json_integer((json_int_t)cli_file_size(session->model_path)));
    failed |= json_object_set_new(object, "task", json_string(cli_task_name(info->options->task)));
    failed |= json_object_set_new(object, "model", json_string(kind));
    failed |= json_object_set_new(object, "options", cli_config_json(table, info->options));
    failed |= json_object_set_new(object, "data", data_json(info));
    failed |= json_object_set_new(object, "width", json_integer((json_int_t)info->width));
    failed |= json_object_set_new(object, "hidden", json_integer((json_int_t)info->hidden));
    failed |= json_object_set_new(object, "classes", json_integer((json_int_t)info->classes));
    failed |= json_object_set_new(object, "parameters", json_integer((json_int_t)info->parameters));
    failed |= json_object_set_new(object, "groups", groups_json(session->model));
    failed |= json_object_set_new(object, "epochs", json_integer(info->epochs));
    failed |= json_object_set_new(object, "best_epoch", json_integer(info->best_epoch));
    failed |= json_object_set_new(object, "validation", cli_json_number(info->validation));
    failed |= json_object_set_new(object, "score", info->score ? json_string(info->score) : json_null());
    failed |= json_object_set_new(object, "results", result_json(session->model));
    if (!failed) return object;
    json_decref(object);
    return NULL;
}
